import * as z from 'zod';
import { formatCsv } from '../../util/csv.ts';
import type { UsageDimension } from './usage-query.ts';

const countSchema = z.int().nonnegative();

const usageCountsSchema = z.strictObject({
  calls: countSchema.describe('calls, also those that were refused or failed'),
  refused: countSchema.describe('calls that a limit refused'),
  credits: countSchema.describe('credits of the calls, and surcharges'),
});

type UsageCounts = { readonly calls: number; readonly refused: number; readonly credits: number };

/** Answer to a query of usage. Rows have the dimensions of the query. */
export type UsageView = {
  readonly from: string;
  readonly to: string;
  readonly rows: readonly (UsageCounts & {
    readonly day?: string;
    readonly key?: string;
    readonly keyName?: string;
    readonly network?: string;
    readonly method?: string;
  })[];
  /** Sum of all rows. */
  readonly total: UsageCounts;
};

export const usageViewSchema: z.ZodType<UsageView> = z.strictObject({
  from: z.string().describe('first day, UTC'),
  to: z.string().describe('last day, UTC'),
  rows: z.array(
    z.strictObject({
      day: z.string().exactOptional(),
      key: z.string().describe('id of the key').exactOptional(),
      keyName: z.string().describe('name of the key; absent if the key is not stored').exactOptional(),
      network: z.string().exactOptional(),
      method: z.string().exactOptional(),
      ...usageCountsSchema.shape,
    }),
  ),
  total: usageCountsSchema.describe('sum of all rows'),
});

/** Columns of a table of usage: its dimensions, with the name of the key beside its id, and the counts. */
export function listUsageColumns(
  by: readonly UsageDimension[],
): readonly (keyof UsageView['rows'][number])[] {
  const dimensions = by.flatMap((name) => (name === 'key' ? (['key', 'keyName'] as const) : [name]));
  return [...dimensions, 'calls', 'refused', 'credits'];
}

/** Formats usage as CSV; the first line has the names of the columns. */
export function formatUsageCsv({ rows }: UsageView, by: readonly UsageDimension[]): string {
  const columns = listUsageColumns(by);
  return formatCsv([columns, ...rows.map((row) => columns.map((column) => row[column] ?? ''))]);
}
