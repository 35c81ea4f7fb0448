import * as z from 'zod';
import { DAY_MS, formatDay, parseDay } from '../../util/utc-day.ts';

/** Dimensions of usage, in the order of the columns. */
export const USAGE_DIMENSIONS = ['day', 'key', 'network', 'method'] as const;

export type UsageDimension = (typeof USAGE_DIMENSIONS)[number];

/** Days are days since 1970, UTC. */
export type UsageQuery = {
  readonly from: number;
  readonly to: number;
  readonly key?: string;
  readonly network?: string;
  readonly method?: string;
  /** Dimensions that rows have, in the order of `USAGE_DIMENSIONS`; counts are summed over the others. */
  readonly by: readonly UsageDimension[];
};

/** Maximum days of a query: as many as are stored. */
const MAX_DAYS = 400;
/** Number of days of a query that does not say from which day on. */
const DEFAULT_DAYS = 30;

const daySchema = z
  .string()
  .refine((text) => parseDay(text) !== undefined, 'expected a day such as 2026-12-01');

/** Query of usage as texts, of the Admin API and of the command. */
export type UsageTexts = {
  readonly from?: string;
  readonly to?: string;
  readonly key?: string;
  readonly network?: string;
  readonly method?: string;
  readonly by: string;
  readonly format: 'json' | 'csv';
};

export const usageQuerySchema: z.ZodType<UsageTexts> = z.object({
  from: daySchema.describe(`first day, UTC; by default ${DEFAULT_DAYS} days up to \`to\``).exactOptional(),
  to: daySchema.describe('last day, UTC; by default today').exactOptional(),
  key: z.string().max(100).describe('only the key with this id').exactOptional(),
  network: z.string().max(100).describe('only this network').exactOptional(),
  method: z.string().max(100).describe('only this method').exactOptional(),
  by: z
    .string()
    .refine(
      (text) => text.split(',').every((name) => (USAGE_DIMENSIONS as readonly string[]).includes(name)),
      `expected a list of ${USAGE_DIMENSIONS.join(', ')}, separated by commas`,
    )
    .default(USAGE_DIMENSIONS.join(','))
    .describe('dimensions of the rows, separated by commas; counts are summed over the others'),
  format: z.enum(['json', 'csv']).default('json'),
});

/**
 * Reads a query of usage.
 * @param time Unix ms
 * @throws Error if the days are in the wrong order, or too many
 */
export function readUsageQuery({ from, to, by, key, network, method }: UsageTexts, time: number): UsageQuery {
  const last = (to === undefined ? undefined : parseDay(to)) ?? Math.floor(time / DAY_MS);
  const first = (from === undefined ? undefined : parseDay(from)) ?? last - DEFAULT_DAYS + 1;
  if (first > last)
    throw new Error(`the first day ${formatDay(first)} is after the last day ${formatDay(last)}`);
  if (last - first >= MAX_DAYS) throw new Error(`the query has more than ${MAX_DAYS} days: ask for fewer`);
  const names = new Set(by.split(','));
  return {
    from: first,
    to: last,
    ...(key !== undefined && { key }),
    ...(network !== undefined && { network }),
    ...(method !== undefined && { method }),
    by: USAGE_DIMENSIONS.filter((name) => names.has(name)),
  };
}
