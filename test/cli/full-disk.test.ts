/** Effect of a full disk on keys, imports and a running service: a clear error, and no loss of data. */
import assert from 'node:assert/strict';
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, mkdirSync, openSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, type TestContext, test } from 'node:test';
import { MAIN, ROOT } from '../../scripts/program-files.ts';
import { LmdbLimitTable } from '../../src/access/limits/lmdb-limit-table.ts';
import { LmdbRecordTable } from '../../src/shared-store/records/lmdb-record-table.ts';
import { RecordTableError } from '../../src/shared-store/records/record-table.ts';
import { makeTemporaryFolder } from '../support/embedded.ts';
import { Program } from '../support/program.ts';
import { findFreePort } from '../support/redis.ts';
import { waitUntil } from '../support/wait-until.ts';

type Outcome = { readonly code: number | string | null; readonly out: string; readonly err: string };

function run(words: readonly string[]): Outcome {
  const [command = '', ...args] = words;
  const { status, signal, stdout, stderr } = spawnSync(command, args, { encoding: 'utf8' });
  return { code: signal ?? status, out: stdout, err: stderr };
}

const program = (...args: readonly string[]): Outcome => run([process.execPath, MAIN, ...args]);
const createKey = (data: string, name: string): Outcome =>
  program('keys', 'create', '--name', name, '--data', data);
const listKeys = (data: string): Outcome => program('keys', 'list', '--data', data);

/** Asserts that a command failed with this message on stderr, without a stack trace or a banner of Node.js. */
function assertClear({ code, out, err }: Outcome, message: RegExp): void {
  assert.equal(code, 1, err);
  assert.equal(out, '');
  assert.match(err, message);
  assert.doesNotMatch(err, /\n {4}at |TypeError|Node\.js v/);
}

function makeFolder(t: TestContext): string {
  const folder = makeTemporaryFolder();
  t.after(() => folder.remove());
  return folder.path;
}

test('a key that exceeds the file size limit is an error, and other keys remain', (t) => {
  const data = makeFolder(t);
  assert.equal(createKey(data, 'first').code, 0);
  const before = listKeys(data);
  const words = [process.execPath, MAIN, 'keys', 'create', '--name', 'second', '--data', data];
  // The limit is 40 blocks of 512 bytes, less than the size of the file.
  const limited = run(['sh', '-c', 'ulimit -f 40; exec "$@"', 'sh', ...words]);
  assertClear(limited, /^portcullis: \S+keys cannot be written: \S/m);
  assert.deepEqual(listKeys(data), before);
  assert.equal(createKey(data, 'third').code, 0);
});

/** A separate file system that can be filled and emptied. Only a superuser can mount one. */
class SmallDisk {
  readonly #folder = makeTemporaryFolder();

  static readonly isPossible: boolean = (() => {
    const folder = makeTemporaryFolder();
    const { status } = spawnSync('mount', ['-t', 'tmpfs', '-o', 'size=64k', 'tmpfs', folder.path]);
    if (status === 0) spawnSync('umount', [folder.path]);
    folder.remove();
    return status === 0;
  })();

  constructor(t: TestContext, kilobytes: number) {
    const { status } = spawnSync('mount', ['-t', 'tmpfs', '-o', `size=${kilobytes}k`, 'tmpfs', this.path]);
    assert.equal(status, 0);
    t.after(() => {
      spawnSync('umount', ['--lazy', this.path]);
      this.#folder.remove();
    });
  }

  get path(): string {
    return this.#folder.path;
  }

  /** Fills the disk completely. */
  fill(): void {
    assert.throws(
      () => {
        for (;;) writeFileSync(join(this.path, 'filler'), Buffer.alloc(4_096), { flag: 'a' });
      },
      { code: 'ENOSPC' },
    );
  }

  empty(): void {
    rmSync(join(this.path, 'filler'));
  }
}

const FULL = /portcullis: (refused: )?\S+ cannot be written: the disk is full/;
/** LMDB reports EIO for a short write; the program's message for it is "the disk is full or faulty". */
const FULL_OR_FAULTY = /portcullis: \S+ cannot be written: the disk is full/;
const DEVNET = join(ROOT, 'chains/devnet');

if (SmallDisk.isPossible) {
  describe('a full disk', () => {
    test('keys: existing ones remain, and new ones can be created once there is space again', (t) => {
      const disk = new SmallDisk(t, 1_024);
      const [data, never] = [join(disk.path, 'data'), join(disk.path, 'never')];
      assert.equal(createKey(data, 'first').code, 0);
      const id = /^(\w{12}) +first/m.exec(listKeys(data).out)?.[1] ?? '';
      const before = listKeys(data);
      disk.fill();
      for (const command of [
        createKey(data, 'second'),
        createKey(never, 'third'),
        program('keys', 'update', id, '--rate', '5', '--data', data),
        program('keys', 'rotate', id, '--data', data),
        program('keys', 'revoke', id, '--data', data),
      ]) {
        assertClear(command, FULL);
      }
      assert.deepEqual(listKeys(data), before);
      disk.empty();
      for (const folder of [data, never]) assert.equal(createKey(folder, 'later').code, 0);
      assert.match(listKeys(data).out, /first[\s\S]*later/);
    });

    test('import reports what it stored, and continues once there is space again', (t) => {
      const disk = new SmallDisk(t, 2_048);
      const data = join(disk.path, 'chain');
      const files = ['--genesis', join(DEVNET, 'genesis.json'), '--blocks', join(DEVNET, 'blocks.rlp.gz')];
      const runImport = (): Outcome => program('import', ...files, '--data', data);
      mkdirSync(data);
      disk.fill();
      assertClear(runImport(), FULL);
      disk.empty();
      // Leaves space for the store, but not for its blocks.
      writeFileSync(join(disk.path, 'filler'), Buffer.alloc(1_792 * 1_024));
      const first = runImport();
      disk.fill();
      assertClear(first, FULL_OR_FAULTY);
      assert.match(first.err, /; free disk space, and run the same command again to continue$/m);
      disk.empty();
      const second = runImport();
      assert.equal(second.code, 0, second.err);
      assert.match(second.out, /head is block 71 /);
    });

    test('limits: a draw that cannot be written counts as an unavailable table until there is space again', async (t) => {
      const disk = new SmallDisk(t, 1_024);
      let faults = 0;
      const open = (folder: string): LmdbLimitTable => {
        const table = new LmdbLimitTable(join(disk.path, folder), () => void faults++);
        t.after(() => table.close());
        return table;
      };
      const draw = (table: LmdbLimitTable, bucket: string): number | undefined =>
        table.draw({ bucket, rate: { perSecond: 1, burst: 10 }, tokens: 4, spending: undefined })?.tokens;
      const [opened, unopened] = [open('a'), open('b')];
      assert.equal(draw(opened, 'x'), 4);
      disk.fill();
      assert.equal(draw(opened, 'x'.repeat(500)), undefined);
      assert.equal(draw(unopened, 'x'), undefined, 'not even its lock file has room');
      assert.equal(faults, 2);
      disk.empty();
      assert.deepEqual([draw(opened, 'x'), draw(opened, 'x'), draw(unopened, 'x')], [4, 2, 4]);
    });

    test('filters: a record that cannot be written throws RecordTableError, and existing records remain', async (t) => {
      const disk = new SmallDisk(t, 1_024);
      const faults: unknown[] = [];
      const open = (folder: string): LmdbRecordTable => {
        const table = new LmdbRecordTable(join(disk.path, folder), (error) => faults.push(error));
        t.after(() => table.close());
        return table;
      };
      const [opened, unopened] = [open('a'), open('b')];
      const text = JSON.stringify('x'.repeat(20_000));
      const create = (table: LmdbRecordTable, id: string): boolean =>
        table.create(`filter/key/${id}`, text, 600_000, 3);
      assert.equal(create(opened, '1'), true);
      disk.fill();
      for (const table of [opened, unopened]) assert.throws(() => create(table, '2'), RecordTableError);
      assert.equal(faults.length, 2);
      assert.equal(opened.read('filter/key/1')?.text, text);
      assert.equal(opened.read('filter/key/2'), undefined);
      disk.empty();
      // Failed creations do not count.
      assert.deepEqual(
        ['2', '3', '4'].map((id) => create(opened, id)),
        [true, true, false],
      );
      assert.equal(create(unopened, '2'), true);
    });

    test('unprintable output and logs do not stop a service, and a key that cannot be printed is revoked', async (t) => {
      const disk = new SmallDisk(t, 1_024);
      disk.fill();
      const full = openSync(join(disk.path, 'output'), 'w');
      const folder = makeFolder(t);
      for (const stdio of [
        ['ignore', 'ignore', full],
        ['ignore', full, 'ignore'],
      ] as const) {
        const port = await findFreePort();
        const child = spawn(process.execPath, [MAIN, 'start'], {
          stdio: [...stdio],
          cwd: folder,
          env: { PORTCULLIS_PORT: String(port), PORTCULLIS_ADMIN_PORT: 'off' },
        });
        t.after(() => child.kill('SIGKILL'));
        const exited = once(child, 'exit');
        const isLive = async (): Promise<boolean> => {
          assert.equal(child.exitCode, null, 'it goes on');
          return fetch(`http://127.0.0.1:${port}/health/live`).then(
            ({ ok }) => ok,
            () => false,
          );
        };
        await waitUntil(isLive, 60_000);
        child.kill('SIGTERM');
        const [code, signal] = await exited;
        assert.deepEqual([code, signal], [stdio[1] === full ? 1 : 0, null]);
      }
      const { status, stderr } = spawnSync(
        process.execPath,
        [MAIN, 'keys', 'create', '--name', 'a', '--data', folder],
        { stdio: ['ignore', full, 'pipe'], encoding: 'utf8' },
      );
      closeSync(full);
      assert.equal(status, 1);
      assert.match(stderr, /portcullis: cannot print: the disk is full\n/);
      assert.match(stderr, /portcullis: key \w+ was created, but could not be printed and is revoked\n/);
    });

    test('a running service continues to admit keys and to enforce limits', async (t) => {
      const disk = new SmallDisk(t, 4_096);
      const server = new Program({
        dataDir: join(disk.path, 'data'),
        networks: { devnet: { hosts: ['devnet.localhost'], builtin: 'devnet' } },
        defaultNetwork: 'devnet',
      });
      t.after(() => server.dispose());
      await server.start();
      const data = join(disk.path, 'data');
      const made = program('keys', 'create', '--name', 'a', '--rate', '0.01/2', '--data', data);
      const key = made.out.trim();
      disk.fill();
      const ask = async (): Promise<number> => {
        const body = '{"jsonrpc":"2.0","id":1,"method":"eth_blockNumber","params":[]}';
        const headers = { 'content-type': 'application/json' };
        const url = `http://127.0.0.1:${server.port}/v3/${key}`;
        return (await fetch(url, { method: 'POST', headers, body })).status;
      };
      const statuses = [];
      for (let i = 0; i < 6; i++) statuses.push(await ask());
      assert.deepEqual(statuses.slice(0, 2), [200, 200]);
      assert.equal(statuses.at(-1), 429);
      assert.ok(server.isRunning);
      disk.empty();
      assert.equal(await server.stop(), 0);
    });
  });
}
