/** Usage in tables that processes share. */
import assert from 'node:assert/strict';
import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, type TestContext, test } from 'node:test';
import { LmdbUsageTable } from '../../../src/shared-store/usage/lmdb-usage-table.ts';
import { RedisUsageTable } from '../../../src/shared-store/usage/redis-usage-table.ts';
import { USAGE_DAYS, type UsageTable } from '../../../src/shared-store/usage/usage-table.ts';
import type { UsageRow } from '../../../src/util/usage-row.ts';
import { makeFolder, NO_REDIS, openClient, openServer } from '../../access/key-tables.ts';

const DAY = 20_787;

const TABLES: readonly {
  readonly name: string;
  readonly skip: string | false;
  /** Opens the same table twice, as two processes do. */
  open(t: TestContext, maxDayRows?: number): Promise<readonly [UsageTable, UsageTable]>;
}[] = [
  {
    name: 'LMDB',
    skip: false,
    open: async (t, maxDayRows = 100) => {
      const dataDir = makeFolder(t);
      const openOne = (): UsageTable => {
        const table = new LmdbUsageTable({ dataDir, onFault: assert.ifError, maxDayRows });
        t.after(() => table.close());
        return table;
      };
      return [openOne(), openOne()];
    },
  },
  {
    name: 'Valkey',
    skip: NO_REDIS,
    open: async (t, maxDayRows = 100) => {
      const server = await openServer(t);
      const openOne = async (): Promise<UsageTable> =>
        new RedisUsageTable({
          client: await openClient(t, server),
          prefix: 'test',
          timeLimitMs: 30_000,
          maxDayRows,
        });
      return [await openOne(), await openOne()];
    },
  },
];

const row = (key: string, method = 'eth_call', calls = 1): UsageRow => ({
  key,
  network: 'mainnet',
  method,
  calls,
  refused: 0,
  credits: 26 * calls,
});

async function list(table: UsageTable, day = DAY): Promise<readonly UsageRow[]> {
  const rows = await table.list(day);
  return [...rows].sort((a, b) => (JSON.stringify(a) < JSON.stringify(b) ? -1 : 1));
}

for (const { name, skip, open } of TABLES) {
  describe(`usage in ${name}`, { skip }, () => {
    test('is summed over processes by key, network, method and day', async (t) => {
      const [one, two] = await open(t);
      assert.deepEqual(await list(one), []);
      const other = { ...row('aa', 'eth_call', 5), network: 'base' };
      assert.equal(await one.add({ entry: 1, day: DAY, rows: [row('aa'), row('aaa'), other] }), true);
      assert.equal(await two.add({ entry: 1, day: DAY, rows: [row('aa', 'eth_call', 2)] }), true);
      const refused = { ...row('aa'), refused: 1, credits: 0 };
      assert.equal(await two.add({ entry: 2, day: DAY, rows: [refused, row('aa', 'trace_*')] }), true);
      assert.equal(await one.add({ entry: 2, day: DAY + 1, rows: [row('aa')] }), true);
      const expected = [
        other,
        { ...row('aa', 'eth_call', 4), refused: 1, credits: 78 },
        row('aa', 'trace_*'),
        row('aaa'),
      ];
      assert.deepEqual(await list(one), expected);
      assert.deepEqual(await list(two), expected);
      assert.deepEqual(await list(two, DAY + 1), [row('aa')]);
      assert.deepEqual(await list(two, DAY - 1), []);
    });

    test('counts the calls of further keys as those of one, so that sums are exact', async (t) => {
      const [one, two] = await open(t, 2);
      await one.add({ entry: 1, day: DAY, rows: [row('a'), row('b'), row('c'), row('d', 'eth_chainId')] });
      await two.add({ entry: 1, day: DAY, rows: [row('a'), row('e', 'eth_call', 3)] });
      assert.deepEqual(await list(one), [
        row('a', 'eth_call', 2),
        row('b'),
        row('other', 'eth_call', 4),
        row('other', 'eth_chainId'),
      ]);
      await two.add({ entry: 2, day: DAY + 1, rows: [row('e')] });
      assert.deepEqual(await list(one, DAY + 1), [row('e')]);
    });

    test('holds counts that are larger than 32 bits', async (t) => {
      const [one] = await open(t);
      const large = { ...row('a'), calls: 2 ** 40 + 1, refused: 2 ** 33 + 1, credits: 2 ** 50 + 1 };
      await one.add({ entry: 1, day: DAY, rows: [large] });
      await one.add({ entry: 2, day: DAY, rows: [row('a')] });
      const [sum] = await list(one);
      assert.deepEqual(sum, { ...large, calls: large.calls + 1, credits: large.credits + 26 });
    });
  });
}

test('LMDB forgets days that are too old', async (t) => {
  const table = new LmdbUsageTable({ dataDir: makeFolder(t), onFault: assert.ifError });
  t.after(() => table.close());
  const days = [DAY - USAGE_DAYS - 1, DAY - USAGE_DAYS, DAY];
  for (const day of days) table.add({ entry: 1, day, rows: [row('a'), row('b')] });
  assert.deepEqual(
    days.map((day) => table.list(day).length),
    [0, 2, 2],
  );
});

test('a server forgets days that are too old', { skip: NO_REDIS }, async (t) => {
  const client = await openClient(t, await openServer(t));
  const table = new RedisUsageTable({ client, prefix: 'test', timeLimitMs: 30_000 });
  await table.add({ entry: 1, day: DAY, rows: [row('a')] });
  const seconds = Number(await client.send('TTL', `{test:usage}:day:${DAY}`));
  assert.ok(seconds > (USAGE_DAYS - 1) * 86_400 && seconds <= USAGE_DAYS * 86_400, String(seconds));
});

test('a repeated report to a server counts once', { skip: NO_REDIS }, async (t) => {
  const client = await openClient(t, await openServer(t));
  const table = new RedisUsageTable({ client, prefix: 'test', timeLimitMs: 30_000 });
  const report = { day: DAY, rows: [row('a')] };
  assert.equal(await table.add({ ...report, entry: 1 }), true);
  assert.equal(await table.add({ ...report, entry: 1 }), true);
  assert.equal(await table.add({ ...report, day: DAY + 1, entry: 1 }), true);
  assert.equal(await table.add({ ...report, entry: 2 }), true);
  assert.deepEqual(await list(table), [row('a', 'eth_call', 2)]);
  assert.deepEqual(await list(table, DAY + 1), []);
});

test('a value that another program wrote to a server does not stop reports', {
  skip: NO_REDIS,
}, async (t) => {
  const client = await openClient(t, await openServer(t));
  const table = new RedisUsageTable({ client, prefix: 'test', timeLimitMs: 30_000 });
  const key = `{test:usage}:day:${DAY}`;
  await client.send('HSET', key, 'a mainnet eth_call', 'x', 'garbage', '1 2 3', 'b mainnet eth_call', '1 2');
  assert.deepEqual(await list(table), []);
  assert.equal(await table.add({ entry: 1, day: DAY, rows: [row('a')] }), true);
  assert.deepEqual(await list(table), [row('a')]);
});

test('a server that does not reply counts as unavailable', { skip: NO_REDIS }, async (t) => {
  const server = await openServer(t);
  const client = await openClient(t, server);
  const table = new RedisUsageTable({ client, prefix: 'test', timeLimitMs: 50 });
  server.freeze();
  t.after(() => server.thaw());
  assert.equal(await table.add({ entry: 1, day: DAY, rows: [row('a')] }), undefined);
  await assert.rejects(async () => table.list(DAY), /did not return the usage of a day/);
});

test('an LMDB folder that cannot be opened is opened later', async (t) => {
  const dataDir = makeFolder(t);
  const faults: unknown[] = [];
  const table = new LmdbUsageTable({ dataDir, onFault: (error) => void faults.push(error) });
  t.after(() => table.close());
  const report = { entry: 1, day: DAY, rows: [row('a')] };
  assert.deepEqual(table.list(DAY), []);
  writeFileSync(join(dataDir, 'usage'), 'a file');
  assert.equal(table.add(report), undefined);
  assert.equal(faults.length, 1);
  rmSync(join(dataDir, 'usage'));
  assert.equal(table.add(report), true);
  assert.deepEqual(table.list(DAY), [row('a')]);
});
