/** Folders written by versions without a list of an owner's records by time, and folders still in use by such versions. */
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { test } from 'node:test';
import { open, type RootDatabase } from 'lmdb';
import { LmdbRecordTable } from '../../../src/shared-store/records/lmdb-record-table.ts';
import { makeFolder } from '../../access/key-tables.ts';

const LIFE = 300_000;

type Clock = { now: number };
const openTable = (folder: string, clock: Clock): LmdbRecordTable =>
  new LmdbRecordTable(
    folder,
    (error) => assert.fail(String(error)),
    () => clock.now,
  );

/** Writes ten records of one owner in the format of the previous version, one after another. */
async function writeOld(folder: string, clock: Clock): Promise<void> {
  const table = openTable(folder, clock);
  for (let i = 0; i < 10; i++, clock.now++) table.create(`removed/1/${i}`, 'text', LIFE, 10);
  await table.close();
  const root = openRoot(folder);
  const [expiries, byOwner] = ['expiries', 'byOwner'].map((name) =>
    root.openDB<true, [number, string]>({ name, encoding: 'msgpack' }),
  );
  for (const { key } of [...(expiries?.getRange({}) ?? [])]) expiries?.putSync(key, true);
  byOwner?.clearSync();
  await root.close();
}

const openRoot = (folder: string): RootDatabase =>
  open({ path: join(folder, 'records'), noSubdir: false, maxDbs: 4 });

test("the oldest records of an earlier version's folder are evicted first, and its sums remain correct", async (t) => {
  const folder = makeFolder(t);
  const clock = { now: 1_700_000_000_000 };
  await writeOld(folder, clock);
  const table = openTable(folder, clock);
  t.after(() => table.close());
  assert.equal(table.create('removed/1/new', 'text', LIFE, 10), false);
  assert.equal(table.create('removed/1/new', 'text', LIFE, 10, 'removeOldest'), true);
  assert.equal(table.read('removed/1/0'), undefined);
  for (const name of ['1', '9', 'new']) assert.equal(table.read(`removed/1/${name}`)?.text, 'text', name);
  clock.now += LIFE + 1;
  for (let i = 0; i < 10; i++)
    assert.equal(table.create(`removed/1/later${i}`, 'text', LIFE, 10), true, String(i));
  assert.equal(table.create('removed/1/more', 'text', LIFE, 10), false);
  const root = openRoot(folder);
  const sums = root.openDB<unknown, string>({ name: 'sums', encoding: 'msgpack' });
  assert.deepEqual(sums.get('removed/1'), { count: 10, bytes: 40 });
});

test('records removed concurrently by an earlier version are not subtracted twice', async (t) => {
  const folder = makeFolder(t);
  const clock = { now: 1_700_000_000_000 };
  const table = openTable(folder, clock);
  t.after(() => table.close());
  for (let i = 0; i < 10; i++, clock.now++) table.create(`removed/1/${i}`, 'text', LIFE, 10);
  const root = openRoot(folder);
  const [rows, expiries, sums] = ['rows', 'expiries', 'sums'].map((name) =>
    root.openDB<unknown, string | [number, string]>({ name, encoding: 'msgpack' }),
  );
  rows?.removeSync('removed/1/0');
  expiries?.removeSync([clock.now - 10 + LIFE, 'removed/1/0']);
  sums?.putSync('removed/1', { count: 9, bytes: 36 });
  assert.equal(table.create('removed/1/10', 'text', LIFE, 10), true);
  assert.equal(table.create('removed/1/11', 'text', LIFE, 10, 'removeOldest'), true);
  assert.deepEqual(sums?.get('removed/1'), { count: 10, bytes: 40 });
  assert.equal(table.read('removed/1/1'), undefined);
  assert.equal(table.read('removed/1/2')?.text, 'text');
});
