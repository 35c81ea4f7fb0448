import { median, percentile } from '../../../bench/load.ts';
import type { LaneReport } from '../load/plan.ts';

/** Percentile of the latencies of correct answers over all lanes, milliseconds. */
export function readPercentile(reports: readonly LaneReport[], share: number): number {
  return percentile(Float64Array.from(reports.flatMap(({ latencies }) => latencies)).sort(), share);
}

/** Median of the rounds' ratios: a momentary disturbance of the machine affects only one of them. */
export function medianRatio(numerators: readonly number[], denominators: readonly number[]): number {
  return median(numerators.map((value, round) => value / (denominators[round] ?? Number.NaN)));
}
