import type { UpstreamStatus } from '../../observe/status.ts';
import { countOf } from '../../util/count-of.ts';
import { formatCompact, formatDate, NOTHING } from './format.ts';
import type { Cell } from './table.ts';

const WHOLE_SHARE = new Intl.NumberFormat('en', { style: 'percent', maximumFractionDigits: 0 });

/** Describes the credits of the current period, as a share of the budget if there is one. */
export function describeSpend({ spend }: Pick<UpstreamStatus, 'spend'>): Cell {
  if (spend === undefined) return { text: NOTHING, title: 'calls to the node have no price' };
  const { credits, budget, remaining = 0, per = 'month', isUsedUp, account, from, until } = spend;
  const period = per === 'day' ? 'today' : 'this month';
  const dates = `${countOf(credits, 'credit')} at this node from ${formatDate(from)} to ${formatDate(until)}`;
  if (budget === undefined) return { text: `${formatCompact(credits)} ${period}`, title: dates };
  const share = `${WHOLE_SHARE.format((budget - remaining) / budget)} of ${formatCompact(budget)} ${period}`;
  const whose = account === undefined ? '' : `; the budget is that of the account ${account}`;
  return { text: share, title: `${dates}${whose}`, ...(isUsedUp === true && { tone: 'bad' }) };
}
