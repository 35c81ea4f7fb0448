import { KeyBook } from '../access/keys/key-book.ts';
import { USAGE_DIMENSIONS, type UsageDimension, type UsageQuery } from '../admin/api/usage-query.ts';
import type { UsageView } from '../admin/api/usage-view.ts';
import { AdminRefusal } from '../admin/refusal.ts';
import type { Config } from '../config/config.ts';
import type { UsageRow } from '../util/usage-row.ts';
import { formatDay } from '../util/utc-day.ts';
import { openKeyTable, openUsageTable } from './open-one-table.ts';

/** Maximum rows of an answer, about 12 MB of JSON. */
const MAX_ANSWER_ROWS = 100_000;

type ListOptions = {
  /** Aborted when no caller waits for the answer any more. */
  readonly left?: AbortSignal;
  readonly maxRows?: number;
};

type Counts = { calls: number; refused: number; credits: number };
type Sum = Counts & Partial<Record<UsageDimension, string>>;

/**
 * Lists the recorded usage of a service, sorted by its columns.
 * @throws AdminRefusal for too many rows, or where the table is unavailable
 */
export async function listUsage(
  config: Config,
  query: UsageQuery,
  { left, maxRows = MAX_ANSWER_ROWS }: ListOptions = {},
): Promise<UsageView> {
  const table = await openUsageTable(config);
  const sums = new Map<string, Sum>();
  try {
    for (let day = query.from; day <= query.to && left?.aborted !== true; day++) {
      addDay(sums, query, formatDay(day), await table.list(day));
      if (sums.size > maxRows) throw createRowRefusal(maxRows);
      // Other work of the process runs between two days.
      await new Promise(setImmediate);
    }
  } catch (error) {
    if (error instanceof AdminRefusal) throw error;
    throw new AdminRefusal(503, error instanceof Error ? error.message : String(error));
  } finally {
    await table.close();
  }
  const rows = [...sums.entries()].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, sum]) => sum);
  const names = query.by.includes('key') && rows.length > 0 ? await readKeyNames(config) : undefined;
  return {
    from: formatDay(query.from),
    to: formatDay(query.to),
    rows: rows.map((row) => {
      const keyName = row.key === undefined ? undefined : names?.get(row.key);
      return keyName === undefined ? row : { ...row, keyName };
    }),
    total: rows.reduce(add, { calls: 0, refused: 0, credits: 0 }),
  };
}

/** Adds the rows of a day that the query selects. The table limits their number. */
function addDay(
  sums: Map<string, Sum>,
  { key, network, method, by }: UsageQuery,
  day: string,
  rows: readonly UsageRow[],
): void {
  for (const row of rows) {
    if (key !== undefined && row.key !== key) continue;
    if (network !== undefined && row.network !== network) continue;
    if (method !== undefined && row.method !== method) continue;
    const own = { day, key: row.key, network: row.network, method: row.method };
    const name = by.map((dimension) => own[dimension]).join('\n');
    const sum = sums.get(name);
    if (sum === undefined) sums.set(name, createSum(own, by, row));
    else add(sum, row);
  }
}

function createRowRefusal(maxRows: number): AdminRefusal {
  const dimensions = USAGE_DIMENSIONS.join(', ');
  return new AdminRefusal(
    413,
    `the answer would have more than ${maxRows} rows: ask for fewer days, or for fewer of ${dimensions}`,
  );
}

function createSum(
  own: Readonly<Record<UsageDimension, string>>,
  by: readonly UsageDimension[],
  { calls, refused, credits }: Counts,
): Sum {
  const dimensions: Partial<Record<UsageDimension, string>> = {};
  for (const dimension of by) dimensions[dimension] = own[dimension];
  return { ...dimensions, calls, refused, credits };
}

function add(sum: Counts, { calls, refused, credits }: Counts): Counts {
  sum.calls += calls;
  sum.refused += refused;
  sum.credits += credits;
  return sum;
}

async function readKeyNames(config: Config): Promise<ReadonlyMap<string, string>> {
  const book = new KeyBook(await openKeyTable(config));
  try {
    return new Map((await book.list()).map(({ id, name }) => [id, name]));
  } finally {
    await book.close();
  }
}
