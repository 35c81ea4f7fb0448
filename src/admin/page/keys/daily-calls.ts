import { formatCount } from '../format.ts';
import type { Chart } from '../sparkline.ts';
import type { DayOfCalls } from './wire.ts';

/** Number of days of the chart, today included. */
const DAYS = 30;
const DAY_MS = 86_400_000;

/** First and last day of the chart (UTC, `YYYY-MM-DD`). */
export type DaySpan = { readonly from: string; readonly to: string };

/** @param now Unix ms */
export function findSpan(now: number): DaySpan {
  return { from: formatDay(now - (DAYS - 1) * DAY_MS), to: formatDay(now) };
}

/** Calls of a key by day, ready for display. */
export type CallChart = { readonly total: number; readonly chart: Chart };

/**
 * Describes the calls of a key by day. The line begins on the first reported day, because nothing is known about earlier days; a day without a
 * row after that had no calls.
 * @param rows rows in any order, several for a day allowed
 */
export function describeCalls(rows: readonly DayOfCalls[], { from, to }: DaySpan): CallChart {
  const byDay = new Map<string, number>();
  for (const { day, calls } of rows) byDay.set(day, (byDay.get(day) ?? 0) + calls);
  const [first, last] = [Date.parse(from), Date.parse(to)];
  const begin = Math.max(first, Math.min(...[...byDay.keys()].map((day) => Date.parse(day)), last));
  const points = [];
  for (let at = begin; at <= last; at += DAY_MS) points.push({ at, value: byDay.get(formatDay(at)) ?? 0 });
  const total = points.reduce((sum, { value }) => sum + value, 0);
  const most = Math.max(...points.map(({ value }) => value));
  const today = formatCount(byDay.get(to) ?? 0);
  const label =
    total === 0
      ? `No calls counted from ${from} to ${to}`
      : `Calls per day from ${formatDay(begin)} to ${to}: ${formatCount(total)} in total, at most ${formatCount(most)} on a day, ${today} today`;
  return { total, chart: { from: first, to: last, lines: [points], label } };
}

function formatDay(at: number): string {
  return new Date(at).toISOString().slice(0, 10);
}
