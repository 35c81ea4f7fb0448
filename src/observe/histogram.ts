/**
 * Prometheus histogram with fixed bounds. Recording costs a few additions, while `prom-client` takes 0.6 us. Bounds
 * are searched from the lowest, since most values are small.
 */
export class Histogram {
  readonly bounds: readonly number[];
  /** Counts per bucket, not cumulative. There is one count more than `bounds`: the last count is the number of values above every bound. */
  readonly counts: Float64Array;
  sum = 0;

  constructor(bounds: readonly number[]) {
    this.bounds = bounds;
    this.counts = new Float64Array(bounds.length + 1);
  }

  get count(): number {
    return this.counts.reduce((total, count) => total + count, 0);
  }

  /** Counts a value, in the unit of `bounds`. */
  record(value: number): void {
    const { bounds, counts } = this;
    let bucket = 0;
    while (bucket < bounds.length && value > (bounds[bucket] as number)) bucket++;
    counts[bucket] = (counts[bucket] as number) + 1;
    this.sum += value;
  }
}

/** Bucket bounds in seconds: from 50 us, the cost of a call answered in memory, to the request time limit. */
export const DURATION_BOUNDS: readonly number[] = [
  0.000_05, 0.000_1, 0.000_25, 0.000_5, 0.001, 0.002_5, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5,
  10, 30,
];
