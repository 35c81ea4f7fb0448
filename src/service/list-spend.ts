import type { Config } from '../config/config.ts';
import { nameUpstream } from '../pool/endpoint.ts';
import { nameNodeAccount, nameSharedAccount } from '../pool/spend/account-names.ts';
import { findPeriod } from '../pool/spend/budget.ts';
import type { DaySpend } from '../shared-store/spend/spend-table.ts';
import { formatDay } from '../util/utc-day.ts';
import { openSpendTable } from './open-one-table.ts';

/** Credits of one node with prices. Days are UTC, as `2026-12-01`. */
export type NodeSpend = {
  readonly network: string;
  readonly upstream: string;
  /** First day of the current period, and first day of the next period. */
  readonly from: string;
  readonly until: string;
  /** Credits of this node in the current period. */
  readonly credits: number;
  /** Absent if the node has no budget. */
  readonly budget?: number;
  /** Credits that are left of the budget, which all nodes of `account` use. */
  readonly remaining?: number;
  readonly account?: string;
  /** Credits of this node by day, oldest first; as many days as are stored. */
  readonly days: readonly { readonly day: string; readonly credits: number }[];
};

/**
 * Lists the recorded credits of all nodes with prices.
 * @param time Unix ms
 * @throws Error where the table is unavailable
 */
export async function listSpend(config: Config, time: number = Date.now()): Promise<readonly NodeSpend[]> {
  const nodes = listPricedNodes(config);
  if (nodes.length === 0) return [];
  const table = await openSpendTable(config);
  try {
    const rows: NodeSpend[] = [];
    for (const { network, upstream, budget } of nodes) {
      const { from, until } = findPeriod(budget, time);
      const days = await table.list(nameNodeAccount(network, upstream));
      const account = budget?.account;
      const all = account === undefined ? days : await table.list(nameSharedAccount(account));
      rows.push({
        network,
        upstream,
        from: formatDay(from),
        until: formatDay(until),
        credits: sumFrom(from, days),
        ...(budget !== undefined && {
          budget: budget.credits,
          remaining: Math.max(0, budget.credits - sumFrom(from, all)),
        }),
        ...(account !== undefined && { account }),
        days: days.map(({ day, credits }) => ({ day: formatDay(day), credits })),
      });
    }
    return rows;
  } finally {
    await table.close();
  }
}

function listPricedNodes({ networks }: Config) {
  return Object.entries(networks).flatMap(([network, { upstreams = [] }]) =>
    upstreams.flatMap((row, position) =>
      row.credits === undefined
        ? []
        : [{ network, upstream: nameUpstream(row, position), budget: row.budget }],
    ),
  );
}

function sumFrom(from: number, days: readonly DaySpend[]): number {
  return days.reduce((total, { day, credits }) => total + (day >= from ? credits : 0), 0);
}
