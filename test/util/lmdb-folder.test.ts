import assert from 'node:assert/strict';
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { setImmediate } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { open } from 'lmdb';
import { checkLmdbFile, hasLmdbFile, prepareLmdbFolder } from '../../src/util/lmdb-folder.ts';
import { makeTemporaryFolder } from '../support/embedded.ts';
import { openCounter } from './lmdb-counter.ts';

const COUNTER = fileURLToPath(new URL('./lmdb-counter.js', import.meta.url));
const folder = makeTemporaryFolder();
after(() => folder.remove());

function place(name: string, data: Uint8Array): string {
  const path = join(folder.path, name);
  mkdirSync(path, { recursive: true });
  writeFileSync(join(path, 'data.mdb'), data);
  return path;
}

async function writeStore(): Promise<Buffer> {
  const path = join(folder.path, 'good');
  prepareLmdbFolder(path);
  const root = open<string, number>({ path, noSubdir: false });
  for (let i = 0; i < 2_000; i++) root.putSync(i, 'x'.repeat(200));
  await root.close();
  return readFileSync(join(path, 'data.mdb'));
}

test('a valid store is accepted, existing or new', async () => {
  const data = await writeStore();
  checkLmdbFile(place('whole', data));
  assert.equal(hasLmdbFile(join(folder.path, 'whole')), true);
  assert.equal(hasLmdbFile(place('empty', new Uint8Array(0))), false);
  assert.equal(hasLmdbFile(join(folder.path, 'nothing')), false);
  prepareLmdbFolder(join(folder.path, 'some/new/folder'));
});

test('a new data folder keeps its contents out of git, and an existing folder is left as it is', () => {
  const data = join(folder.path, 'data');
  prepareLmdbFolder(join(data, 'keys'));
  prepareLmdbFolder(join(data, 'limits'));
  assert.equal(readFileSync(join(data, '.gitignore'), 'utf8'), '*\n');
  assert.deepEqual(readdirSync(data).sort(), ['.gitignore', 'keys', 'limits']);
  for (const path of [join(data, 'keys'), join(data, 'limits'), folder.path])
    assert.equal(existsSync(join(path, '.gitignore')), false, path);
  writeFileSync(join(data, '.gitignore'), 'mine');
  prepareLmdbFolder(join(data, 'spend'));
  assert.equal(readFileSync(join(data, '.gitignore'), 'utf8'), 'mine');
});

test('a store that another process is growing is valid at all times', async () => {
  const path = join(folder.path, 'growing');
  await openCounter(path).close();
  const child = fork(COUNTER, [path, '150', 'grow']);
  const exited = once(child, 'exit');
  while (child.exitCode === null && child.signalCode === null) {
    for (let check = 0; check < 100; check++) checkLmdbFile(path);
    await setImmediate();
  }
  assert.deepEqual(await exited, [0, null]);
  assert.ok(statSync(join(path, 'data.mdb')).size > 20_000_000);
});

test('a store that would crash the process is refused by name', async () => {
  const data = await writeStore();
  const refused = (name: string, bytes: Uint8Array, message: RegExp): void => {
    assert.throws(() => checkLmdbFile(place(name, bytes)), message);
  };
  refused('garbage', Buffer.from('hello'), /garbage contains a data.mdb that is not a store/);
  refused('zeros', new Uint8Array(100_000), /is not a store/);
  refused('half', data.subarray(0, data.length / 2), /is truncated/);
  refused('one page', data.subarray(0, 4096), /is truncated/);
});

test('a folder that cannot be created is an error at once', () => {
  const file = place('file', new Uint8Array(1));
  assert.throws(
    () => prepareLmdbFolder(join(file, 'data.mdb', 'below')),
    /cannot be written: (a part of the path is not a folder|EEXIST|no such file or folder)/,
  );
});
