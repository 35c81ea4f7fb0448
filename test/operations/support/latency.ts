import { median, percentile } from '../../../bench/load.ts';
import type { LaneReport } from '../load/plan.ts';

/** Of the right answers of all lanes together, milliseconds. */
export function readPercentile(reports: readonly LaneReport[], share: number): number {
  return percentile(Float64Array.from(reports.flatMap(({ latencies }) => latencies)).sort(), share);
}

/** The middle of the rounds' ratios: what disturbs the machine for a moment disturbs one of them. */
export function medianRatio(numerators: readonly number[], denominators: readonly number[]): number {
  return median(numerators.map((value, round) => value / (denominators[round] ?? Number.NaN)));
}
