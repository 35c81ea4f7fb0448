import assert from 'node:assert/strict';
import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { SharedLmdbTable } from '../../src/util/shared-lmdb-table.ts';
import { makeTemporaryFolder } from '../support/temporary-folder.ts';

const MAP_BYTES = 1 << 20;

test('a table is opened by its first write, and another table reads what it has written', async (t) => {
  const folder = makeTemporaryFolder();
  t.after(() => folder.remove());
  const path = join(folder.path, 'table');
  const [one, other] = [
    new SharedLmdbTable<number>(path, MAP_BYTES),
    new SharedLmdbTable<number>(path, MAP_BYTES),
  ];
  assert.equal(existsSync(path), false);
  one.write((table) => table.putSync('a', 1));
  assert.equal(
    other.write((table) => table.get('a')),
    1,
  );
  await Promise.all([one.close(), other.close()]);
});

test('a write that throws changes nothing', async (t) => {
  const folder = makeTemporaryFolder();
  t.after(() => folder.remove());
  const table = new SharedLmdbTable<number>(join(folder.path, 'table'), MAP_BYTES);
  assert.throws(
    () =>
      table.write((inner) => {
        inner.putSync('a', 1);
        throw new Error('no');
      }),
    /^Error: no$/,
  );
  assert.equal(
    table.write((inner) => inner.get('a')),
    undefined,
  );
  await table.close();
});

test('an unused table is closed without being opened, and a failed opening is tried again', async (t) => {
  const folder = makeTemporaryFolder();
  t.after(() => folder.remove());
  const path = join(folder.path, 'table');
  await new SharedLmdbTable<number>(path, MAP_BYTES).close();
  assert.equal(existsSync(path), false);
  writeFileSync(path, 'a file');
  const table = new SharedLmdbTable<number>(path, MAP_BYTES);
  for (const _ of ['first', 'second'])
    assert.throws(
      () => table.write(() => 1),
      new RegExp(`^Error: ${path} cannot be written: is not a folder`),
    );
  await table.close();
});
