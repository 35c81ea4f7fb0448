import type { Budget } from '../../../src/pool/spend/budget.ts';
import type { Prices } from '../../../src/pool/spend/price-table.ts';
import { Spend } from '../../../src/pool/spend/spend.ts';
import { SpendAccount } from '../../../src/pool/spend/spend-account.ts';

const TIME = Date.parse('2026-11-28T12:00:00Z');

/** Creates the count of a node with these prices, which no other process shares. */
export function createSpend(prices: Prices, budget?: Partial<Budget>): Spend {
  const account = new SpendAccount('node', TIME);
  if (budget !== undefined)
    account.claim({ credits: 1, per: 'month', resetDay: 1, hard: false, ...budget }, TIME);
  return new Spend(prices, account, undefined, () => {});
}
