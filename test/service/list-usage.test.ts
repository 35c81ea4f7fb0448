/** Sums of recorded usage. */
import assert from 'node:assert/strict';
import { readdirSync } from 'node:fs';
import { type TestContext, test } from 'node:test';
import { KeyBook } from '../../src/access/keys/key-book.ts';
import { LmdbKeyTable } from '../../src/access/keys/lmdb-key-table.ts';
import { readUsageQuery, usageQuerySchema } from '../../src/admin/api/usage-query.ts';
import type { UsageView } from '../../src/admin/api/usage-view.ts';
import { configSchema } from '../../src/config/config.ts';
import { listUsage } from '../../src/service/list-usage.ts';
import { LmdbUsageTable } from '../../src/shared-store/usage/lmdb-usage-table.ts';
import type { UsageRow } from '../../src/util/usage-row.ts';
import { DAY_MS, parseDay } from '../../src/util/utc-day.ts';
import { makeFolder } from '../access/key-tables.ts';

const DAY = parseDay('2026-11-30') as number;

const row = (key: string, network: string, method: string, calls: number): UsageRow => ({
  key,
  network,
  method,
  calls,
  refused: 1,
  credits: 10 * calls,
});

/** Reads usage with the texts of a query, on the evening of `DAY`. */
function readUsage(
  dataDir: string,
  texts: Readonly<Record<string, string>>,
  maxRows?: number,
): Promise<UsageView> {
  const networks = { devnet: { builtin: 'devnet', hosts: ['a.localhost'] } };
  const config = configSchema.parse({ networks, dataDir });
  const query = readUsageQuery(usageQuerySchema.parse(texts), (DAY + 1) * DAY_MS - 1);
  return listUsage(config, query, maxRows === undefined ? {} : { maxRows });
}

/** Records usage on two days. */
async function record(t: TestContext) {
  const dataDir = makeFolder(t);
  const book = new KeyBook(new LmdbKeyTable(dataDir));
  const { record: stored } = await book.create('wallet', {}, false);
  await book.close();
  const { id } = stored;
  const table = new LmdbUsageTable({ dataDir, onFault: assert.ifError });
  const rows = [
    row(id, 'mainnet', 'eth_call', 2),
    row('demo', 'mainnet', 'eth_call', 3),
    row(id, 'base', 'unknown', 4),
  ];
  table.add({ entry: 1, day: DAY, rows });
  table.add({ entry: 2, day: DAY - 1, rows: [row(id, 'mainnet', 'eth_call', 5)] });
  await table.close();
  return { id, dataDir, read: (texts: Readonly<Record<string, string>>) => readUsage(dataDir, texts) };
}

test('rows have the dimensions of the query, and counts are summed over the others', async (t) => {
  const { id, read } = await record(t);
  const total = { calls: 14, refused: 4, credits: 140 };
  const all = await read({});
  assert.deepEqual([all.from, all.to, all.total], ['2026-11-01', '2026-11-30', total]);
  const own = { key: id, keyName: 'wallet' };
  assert.deepEqual(
    new Set(all.rows),
    new Set([
      { day: '2026-11-29', ...own, ...row(id, 'mainnet', 'eth_call', 5) },
      { day: '2026-11-30', ...own, ...row(id, 'base', 'unknown', 4) },
      { day: '2026-11-30', ...own, ...row(id, 'mainnet', 'eth_call', 2) },
      { day: '2026-11-30', ...row('demo', 'mainnet', 'eth_call', 3) },
    ]),
  );
  assert.deepEqual(
    all.rows.map(({ day }) => day),
    ['2026-11-29', '2026-11-30', '2026-11-30', '2026-11-30'],
  );
  assert.deepEqual(await read({ by: 'network' }), {
    from: '2026-11-01',
    to: '2026-11-30',
    rows: [
      { network: 'base', calls: 4, refused: 1, credits: 40 },
      { network: 'mainnet', calls: 10, refused: 3, credits: 100 },
    ],
    total,
  });
});

test('filters and days select rows', async (t) => {
  const { id, read } = await record(t);
  const count = async (texts: Readonly<Record<string, string>>): Promise<number> =>
    (await read(texts)).total.calls;
  assert.equal(await count({ key: id }), 11);
  assert.equal(await count({ key: id, network: 'mainnet' }), 7);
  assert.equal(await count({ method: 'unknown' }), 4);
  assert.equal(await count({ network: 'nowhere' }), 0);
  assert.equal(await count({ from: '2026-11-30' }), 9);
  assert.equal(await count({ to: '2026-11-29' }), 5);
  assert.equal(await count({ from: '2026-01-01', to: '2026-11-28' }), 0);
});

test('a folder without usage has none, and is not created', async (t) => {
  const dataDir = makeFolder(t);
  const { rows, total } = await readUsage(dataDir, {});
  assert.deepEqual([rows, total], [[], { calls: 0, refused: 0, credits: 0 }]);
  assert.deepEqual(readdirSync(dataDir), []);
});

test('an answer that would have too many rows is refused', async (t) => {
  const { dataDir } = await record(t);
  await assert.rejects(
    readUsage(dataDir, {}, 3),
    /more than 3 rows: ask for fewer days, or for fewer of day, key, network, method$/,
  );
  assert.equal((await readUsage(dataDir, {}, 4)).rows.length, 4);
  assert.equal((await readUsage(dataDir, { by: 'network' }, 2)).total.calls, 14);
});
