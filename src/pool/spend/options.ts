import * as z from 'zod';
import { option } from '../../util/option.ts';
import type { Budget } from './budget.ts';
import type { Prices } from './price-table.ts';

/** Maximum price of one call, and maximum credits of a budget. Sums of prices are exact up to the maximum of a budget. */
const MAX_PRICE = 1_000_000;
const MAX_BUDGET = 1_000_000_000_000;

/** `upstreams[].credits:` of a node. */
export const pricesSchema: z.ZodType<Prices> = z
  .record(
    z
      .string()
      .regex(
        /^(\w{1,64}|[A-Za-z0-9]{1,32}_\*)$/,
        'expected the name of a method, a namespace such as debug_*, or default',
      ),
    z.int().min(0).max(MAX_PRICE),
  )
  .refine((prices) => Object.hasOwn(prices, 'default'), {
    path: ['default'],
    error: 'is missing: expected the credits of every method that has no price of its own',
  })
  .refine((prices) => Object.keys(prices).length <= 500, 'more than 500 prices');

/** `upstreams[].budget:` of a node. */
export const budgetSchema: z.ZodType<Budget> = z
  .strictObject({
    credits: option('Maximum credits in a period.', z.int().min(1).max(MAX_BUDGET)),
    per: option('Period of the budget; it begins at 00:00 UTC.', z.enum(['month', 'day']).default('month')),
    resetDay: option(
      'Day of the month on which a period of a month begins. In a shorter month, it is the last day.',
      z.int().min(1).max(31).default(1),
    ),
    hard: option(
      'Whether clients get no answer of the node beyond its budget, even if no other node can answer.',
      z.boolean().default(false),
    ),
    account: option(
      'Account at the provider. All nodes with the same account, also those of other networks, share one budget.',
      z
        .string()
        .regex(/^[\w.:-]{1,64}$/, 'expected a name of letters, digits and . : _ -')
        .exactOptional(),
    ),
  })
  .refine(({ per, resetDay }) => per === 'month' || resetDay === 1, {
    path: ['resetDay'],
    error: 'applies only to a budget per month',
  });
