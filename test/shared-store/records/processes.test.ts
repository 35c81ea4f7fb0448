/** Processes that share records: each change is made once, a killed process loses no records, and an unreachable server is an error. */
import assert from 'node:assert/strict';
import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { test } from 'node:test';
import { setTimeout as wait } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { RecordTableError } from '../../../src/shared-store/records/record-table.ts';
import { makeFolder, NO_REDIS, openServer } from '../../access/key-tables.ts';
import { openLmdbRecords, openRedisRecords } from './tables.ts';

const COUNTER = fileURLToPath(new URL('./count-up.js', import.meta.url));

function startCounter(folder: string, name: string, times: number): ChildProcess {
  return fork(COUNTER, [folder, name, String(times)]);
}

test('concurrent processes in LMDB each replace only the version that they read', async (t) => {
  const folder = makeFolder(t);
  const table = openLmdbRecords(t, folder);
  table.create('filter/key/1', '0', 600_000, 1);
  const children = [0, 1, 2].map(() => startCounter(folder, 'filter/key/1', 200));
  const exits = await Promise.all(children.map((child) => once(child, 'exit')));
  assert.deepEqual(
    exits.map(([code]) => code),
    [0, 0, 0],
  );
  assert.equal(table.read('filter/key/1')?.text, '600');
});

test('a process killed while it writes leaves consistent records', async (t) => {
  const folder = makeFolder(t);
  const table = openLmdbRecords(t, folder);
  table.create('filter/key/1', '0', 600_000, 1);
  for (let round = 0; round < 3; round++) {
    const before = Number(table.read('filter/key/1')?.text);
    const child = startCounter(folder, 'filter/key/1', 1_000_000);
    const exited = once(child, 'exit');
    while (Number(table.read('filter/key/1')?.text) < before + 50) await wait(2);
    child.kill('SIGKILL');
    await exited;
    const renew = (): boolean => {
      const { text = '', version = '' } = table.read('filter/key/1') ?? {};
      return table.replace('filter/key/1', version, text, 600_000);
    };
    // LMDB: readers see a commit whose process died before it announced the commit only after the next writer has found the abandoned lock.
    assert.ok(renew() || renew());
  }
  assert.equal(table.create('filter/key/2', '0', 600_000, 1), false);
  table.remove('filter/key/1');
  assert.equal(table.create('filter/key/2', '0', 600_000, 1), true);
});

for (const fault of ['killed', 'frozen'] as const) {
  test(`while Valkey is ${fault} operations throw RecordTableError, and afterwards they work again`, {
    skip: NO_REDIS,
  }, async (t) => {
    const server = await openServer(t);
    const table = await openRedisRecords(t, server);
    await table.create('filter/key/1', '1', 600_000, 10);
    if (fault === 'killed') await server.kill();
    else server.freeze();
    const version = '';
    for (const operation of [
      () => table.read('filter/key/1'),
      () => table.create('filter/key/2', '1', 600_000, 10),
      () => table.replace('filter/key/1', version, '2', 600_000),
      () => table.remove('filter/key/1'),
      () => table.read('filter/key/1'),
    ]) {
      await assert.rejects(operation, RecordTableError);
    }
    if (fault === 'killed') await server.restart();
    else server.thaw();
    for (let i = 0; ; i++) {
      try {
        await table.read('filter/key/1');
        break;
      } catch (error) {
        assert.ok(i < 100, String(error));
        await wait(100);
      }
    }
    assert.equal(await table.create('filter/key/3', '3', 600_000, 10), true);
    assert.equal((await table.read('filter/key/3'))?.text, '3');
  });
}
