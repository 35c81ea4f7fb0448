/** Records written while the clock was temporarily ahead do not outlive later records. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { setTimeout as wait } from 'node:timers/promises';
import { LmdbRecordTable } from '../../../src/shared-store/records/lmdb-record-table.ts';
import { RedisRecordTable } from '../../../src/shared-store/records/redis-record-table.ts';
import { makeFolder, NO_REDIS, openClient, openServer } from '../../access/key-tables.ts';

const HOUR_MS = 3_600_000;
const CENTURY_MS = 100 * 365 * 24 * HOUR_MS;
const LIFE = 300_000;
const MAX = 50;

function openAt(folder: string, clock: { now: number }): LmdbRecordTable {
  return new LmdbRecordTable(
    folder,
    (error) => assert.fail(String(error)),
    () => clock.now,
  );
}

describe('records written while the clock was ahead expire soon after it is corrected', () => {
  for (const [name, ahead] of [
    ['an hour', HOUR_MS],
    ['a hundred years', CENTURY_MS],
  ] as const) {
    test(`in LMDB: ${name} ahead, also across a restart`, async (t) => {
      const folder = makeFolder(t);
      const clock = { now: 1_700_000_000_000 };
      const early = openAt(folder, clock);
      assert.equal(early.create('filter/other/1', '1', LIFE, MAX), true);
      clock.now += ahead;
      for (let i = 0; i < MAX; i++) assert.equal(early.create(`filter/key/${i}`, '1', LIFE, MAX), true);
      clock.now -= ahead;
      await early.close();
      const table = openAt(folder, clock);
      t.after(() => table.close());
      // The future records now expire as if they were written at this time; each refusal corrects some of them.
      for (let i = 0; i < MAX; i++)
        assert.equal(table.create(`filter/key/new${i}`, '1', LIFE, MAX), false, String(i));
      assert.equal(table.read('filter/key/0')?.text, '1');
      clock.now += LIFE + 1;
      assert.equal(table.read('filter/key/0'), undefined);
      for (let i = 0; i < MAX; i++)
        assert.equal(table.create(`filter/key/new${i}`, '1', LIFE, MAX), true, String(i));
      assert.equal(table.create('filter/key/more', '1', LIFE, MAX), false);
    });
  }

  test('in LMDB: records of owners that never return too', async (t) => {
    const clock = { now: 1_700_000_000_000 + CENTURY_MS };
    const table = openAt(makeFolder(t), clock);
    t.after(() => table.close());
    table.create('filter/key/1', '1', LIFE, MAX);
    clock.now -= CENTURY_MS;
    assert.equal(table.read('filter/key/1')?.text, '1');
    for (let i = 0; ; i++) {
      assert.ok(i < 600, 'it is not shortened');
      await wait(100);
      clock.now += CENTURY_MS / 2;
      const isGone = table.read('filter/key/1') === undefined;
      clock.now -= CENTURY_MS / 2;
      if (isGone) break;
    }
  });

  test('in Valkey', { skip: NO_REDIS }, async (t) => {
    const client = await openClient(t, await openServer(t));
    const table = new RedisRecordTable({ client, prefix: 'test', timeLimitMs: 5_000 });
    const [life, late] = [1_000, Date.now() + CENTURY_MS];
    for (let i = 0; i < MAX; i++) {
      const name = `filter/key/${i}`;
      assert.equal(await table.create(name, '1', life, MAX), true);
      // A server whose clock is ahead writes this.
      await client.send('ZADD', '{test:records:filter/key}:expiries', late, name);
      for (const key of [`/${i}`, ':expiries', ':bytes', ':sum'])
        await client.send('PEXPIREAT', `{test:records:filter/key}${key}`, late);
    }
    assert.equal(await table.create('filter/key/new', '1', life, MAX), false);
    assert.equal((await table.read('filter/key/0'))?.text, '1');
    for (let i = 0; !(await table.create('filter/key/new', '1', life, MAX)); i++) {
      assert.ok(i < 600, 'they do not expire');
      await wait(100);
    }
    for (let i = 0; i < MAX - 1; i++)
      assert.equal(await table.create(`filter/key/new${i}`, '1', 60_000, MAX), true);
    assert.equal(await table.create('filter/key/more', '1', 60_000, MAX), false);
  });
});
