import assert from 'node:assert/strict';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { open } from 'lmdb';
import { checkLmdbFile, hasLmdbFile, prepareLmdbFolder } from '../../src/util/lmdb-folder.ts';
import { makeTemporaryFolder } from '../support/embedded.ts';

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

test('a store of ours is accepted, whole or new', async () => {
  const data = await writeStore();
  checkLmdbFile(place('whole', data));
  assert.equal(hasLmdbFile(join(folder.path, 'whole')), true);
  assert.equal(hasLmdbFile(place('empty', new Uint8Array(0))), false);
  assert.equal(hasLmdbFile(join(folder.path, 'nothing')), false);
  prepareLmdbFolder(join(folder.path, 'some/new/folder'));
});

test('what would take the process down is refused by name', async () => {
  const data = await writeStore();
  const refused = (name: string, bytes: Uint8Array, message: RegExp): void => {
    assert.throws(() => checkLmdbFile(place(name, bytes)), message);
  };
  refused('garbage', Buffer.from('hello'), /garbage holds a data.mdb that is not a store/);
  refused('zeros', new Uint8Array(100_000), /is not a store/);
  refused('half', data.subarray(0, data.length / 2), /was cut short/);
  refused('one page', data.subarray(0, 4096), /was cut short/);
});

test('a folder that cannot be made is an error, at once', () => {
  const file = place('file', new Uint8Array(1));
  assert.throws(
    () => prepareLmdbFolder(join(file, 'data.mdb', 'below')),
    /cannot be written: (a part of the path is not a folder|EEXIST|no such file or folder)/,
  );
});
