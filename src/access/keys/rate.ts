import * as z from 'zod';
import { option } from '../../util/option.ts';

/** Calls per second, and maximum burst of calls. */
export type Rate = { readonly perSecond: number; readonly burst: number };

export const rateSchema: z.ZodType<Rate> = z
  .strictObject({
    perSecond: option('Calls per second.', z.number().min(0.001).max(1_000_000)),
    burst: option(
      'Maximum burst of calls. By default, it is `perSecond`, rounded up.',
      z.int().min(1).max(10_000_000).exactOptional(),
    ),
  })
  .transform(({ perSecond, burst }) => ({ perSecond, burst: burst ?? Math.max(1, Math.ceil(perSecond)) }));

export const dailyCreditsSchema: z.ZodType<number> = z.int().min(1).max(Number.MAX_SAFE_INTEGER);
