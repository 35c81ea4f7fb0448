/** Expired records are removed as new ones are written, including those of owners that never return. */
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { test } from 'node:test';
import { setTimeout as wait } from 'node:timers/promises';
import { open } from 'lmdb';
import { LmdbRecordTable } from '../../../src/shared-store/records/lmdb-record-table.ts';
import { RedisRecordTable } from '../../../src/shared-store/records/redis-record-table.ts';
import { makeFolder, NO_REDIS, openClient, openServer } from '../../access/key-tables.ts';
import { MemoryRecordTable } from '../../support/memory-record-table.ts';

test('in memory: few expired records remain stored', () => {
  let now = 0;
  const table = new MemoryRecordTable(() => now);
  let most = 0;
  for (let i = 0; i < 5_000; i++) {
    now++;
    assert.equal(table.create(`filter/key${i % 700}/${i}`, '1', 100, 10), true);
    most = Math.max(most, table.size);
  }
  // 100 records are live at a time; an owner that returns has lost its expired records.
  assert.ok(most <= 700, String(most));
  now += 1_000;
  for (let i = 0; i < 700; i++) table.create(`filter/last/${i}`, '1', 100, 1_000);
  assert.equal(table.size, 700);
});

test('in LMDB: rows, sums and expiry times of expired records are removed', async (t) => {
  const folder = makeFolder(t);
  let now = 1_000_000;
  const table = new LmdbRecordTable(
    folder,
    (error) => assert.fail(String(error)),
    () => now,
  );
  t.after(() => table.close());
  for (let i = 0; i < 1_000; i++) assert.equal(table.create(`filter/key${i}/1`, '1', 100, 1), true);
  // A renewed record has one expiry time, not two.
  const { version = '' } = table.read('filter/key0/1') ?? {};
  assert.equal(table.replace('filter/key0/1', version, '2', 10_000), true);
  now += 101;
  // Each new record removes some expired ones; a timed sweep removes the others.
  for (let i = 0; i < 40; i++) table.create(`filter/new/${i}`, '1', 10_000, 100);
  const root = open({ path: join(folder, 'records'), noSubdir: false, maxDbs: 4 });
  const count = (name: string): number => root.openDB({ name }).getCount();
  assert.ok(count('rows') < 1_000, String(count('rows')));
  for (let i = 0; count('sums') > 2; i++) {
    assert.ok(i < 600, 'they are not swept');
    await wait(100);
    root.resetReadTxn();
  }
  assert.deepEqual(['rows', 'expiries', 'byOwner', 'sums'].map(count), [41, 41, 41, 2]);
  assert.equal(table.read('filter/key0/1')?.text, '2');
});

test('in Valkey: nothing remains of expired records', { skip: NO_REDIS }, async (t) => {
  const client = await openClient(t, await openServer(t));
  const table = new RedisRecordTable({ client, prefix: 'test', timeLimitMs: 1_000 });
  for (let i = 0; i < 20; i++) await table.create(`filter/key${i % 3}/${i}`, '1', 300, 100);
  await table.create('filter/key0/lasting', '1', 600_000, 100);
  for (let i = 0; (await client.send('DBSIZE')) !== 4; i++) {
    assert.ok(i < 100, 'they do not expire');
    await wait(100);
  }
  // Each write removes some expired entries from the owner's lists.
  for (const id of ['other', 'another']) await table.create(`filter/key0/${id}`, '1', 600_000, 100);
  assert.equal(await client.send('ZCARD', '{test:records:filter/key0}:expiries'), 3);
  assert.equal(await client.send('HLEN', '{test:records:filter/key0}:bytes'), 3);
  const sum = await client.send('HGETALL', '{test:records:filter/key0}:sum');
  assert.deepEqual(sum, ['n', '3', 'b', '3']);
});
