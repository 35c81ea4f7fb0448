/** Spent credits in tables that processes share. */
import assert from 'node:assert/strict';
import { describe, type TestContext, test } from 'node:test';
import { LmdbSpendTable } from '../../../src/shared-store/spend/lmdb-spend-table.ts';
import { RedisSpendTable } from '../../../src/shared-store/spend/redis-spend-table.ts';
import { SPEND_DAYS, type SpendTable } from '../../../src/shared-store/spend/spend-table.ts';
import { makeFolder, NO_REDIS, openClient, openServer } from '../../access/key-tables.ts';

const DAY = 20_787;

type Two = readonly [SpendTable, SpendTable];

const TABLES: readonly {
  readonly name: string;
  readonly skip: string | false;
  /** Opens the same table twice, as two processes do. */
  open(t: TestContext): Promise<Two>;
}[] = [
  {
    name: 'LMDB',
    skip: false,
    open: async (t) => {
      const folder = makeFolder(t);
      const openOne = (): SpendTable => {
        const table = new LmdbSpendTable(folder, assert.ifError);
        t.after(() => table.close());
        return table;
      };
      return [openOne(), openOne()];
    },
  },
  {
    name: 'Valkey',
    skip: NO_REDIS,
    open: async (t) => {
      const server = await openServer(t);
      const openOne = async (): Promise<SpendTable> =>
        new RedisSpendTable({ client: await openClient(t, server), prefix: 'test', timeLimitMs: 30_000 });
      return [await openOne(), await openOne()];
    },
  },
];

for (const { name, skip, open } of TABLES) {
  describe(`spend in ${name}`, { skip }, () => {
    test('is summed over processes, and over days from the first day of the period on', async (t) => {
      const [one, two] = await open(t);
      const report = { account: 'node/a/b', since: DAY };
      assert.equal(await one.report({ ...report, day: DAY - 1, credits: 7, entry: 1 }), 0);
      assert.equal(await one.report({ ...report, day: DAY, credits: 10, entry: 2 }), 10);
      assert.equal(await two.report({ ...report, day: DAY, credits: 5, entry: 1 }), 15);
      assert.equal(await one.report({ ...report, day: DAY + 1, credits: 1, entry: 3 }), 16);
      assert.equal(await two.report({ ...report, since: DAY - 1, day: DAY, credits: 0, entry: 2 }), 23);
      assert.equal(await one.report({ ...report, account: 'node/a/bb', day: DAY, credits: 3, entry: 4 }), 3);
      assert.deepEqual(await two.list('node/a/b'), [
        { day: DAY - 1, credits: 7 },
        { day: DAY, credits: 15 },
        { day: DAY + 1, credits: 1 },
      ]);
      assert.deepEqual(await one.list('node/a'), []);
    });

    test('forgets days that are too old', async (t) => {
      const [table] = await open(t);
      const report = { account: 'a', since: 0, credits: 1 };
      for (const [entry, day] of [DAY - SPEND_DAYS - 1, DAY - SPEND_DAYS, DAY].entries())
        await table.report({ ...report, day, entry: entry + 1 });
      const days = (await table.list('a')).map(({ day }) => day);
      assert.deepEqual(days, [DAY - SPEND_DAYS, DAY]);
    });
  });
}

test('a repeated report to a server counts once', { skip: NO_REDIS }, async (t) => {
  const client = await openClient(t, await openServer(t));
  const table = new RedisSpendTable({ client, prefix: 'test', timeLimitMs: 30_000 });
  const report = { account: 'a', day: DAY, since: DAY, credits: 4 };
  assert.equal(await table.report({ ...report, entry: 1 }), 4);
  assert.equal(await table.report({ ...report, entry: 1 }), 4);
  assert.equal(await table.report({ ...report, entry: 2 }), 8);
});

test('a server that does not reply counts as unavailable', { skip: NO_REDIS }, async (t) => {
  const server = await openServer(t);
  const client = await openClient(t, server);
  const table = new RedisSpendTable({ client, prefix: 'test', timeLimitMs: 50 });
  server.freeze();
  t.after(() => server.thaw());
  assert.equal(await table.report({ account: 'a', day: DAY, since: DAY, credits: 4, entry: 1 }), undefined);
  await assert.rejects(async () => table.list('a'), /did not return the spent credits/);
});
