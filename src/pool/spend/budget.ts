import { DAY_MS } from '../../util/utc-day.ts';

/** `upstreams[].budget:` maximum credits of a node in a period. */
export type Budget = {
  readonly credits: number;
  /** Period after which the spent credits count from 0 again, at 00:00 UTC. */
  readonly per: 'month' | 'day';
  /** Day of the month on which a period of a month begins. In a shorter month, the period begins on the last day. */
  readonly resetDay: number;
  /** Whether clients get no answer from the node beyond the budget, even if no other node can answer. */
  readonly hard: boolean;
  /** Account at the provider. All nodes with the same account share one budget. */
  readonly account?: string;
};

/** Period of a budget: its first day, and the first day of the next period. Days since 1970, UTC. */
export type Period = { readonly from: number; readonly until: number };

/** Calendar month, the period of a node without a budget. */
const CALENDAR_MONTH: Pick<Budget, 'per' | 'resetDay'> = { per: 'month', resetDay: 1 };

/** Returns the period that contains a time. @param time Unix ms */
export function findPeriod(budget: Pick<Budget, 'per' | 'resetDay'> = CALENDAR_MONTH, time: number): Period {
  const { per, resetDay } = budget;
  const today = Math.floor(time / DAY_MS);
  if (per === 'day') return { from: today, until: today + 1 };
  const date = new Date(time);
  const [year, month] = [date.getUTCFullYear(), date.getUTCMonth()];
  const reset = findReset(year, month, resetDay);
  return today < reset
    ? { from: findReset(year, month - 1, resetDay), until: reset }
    : { from: reset, until: findReset(year, month + 1, resetDay) };
}

/** Returns the day on which the period of a month begins. @param month from 0; -1 is December of the previous year, 12 is January of the next */
function findReset(year: number, month: number, resetDay: number): number {
  const days = new Date(Date.UTC(year, month + 1, 0)).getUTCDate();
  return Date.UTC(year, month, Math.min(resetDay, days)) / DAY_MS;
}
