/** Each bucket is this much longer than the one before: percentiles are exact to a tenth. */
const GROWTH = 1.1;
const SMALLEST_MS = 0.05;
/** Up to 0.05 ms x 1.1^160, about 3.5 minutes. */
const BUCKETS = 161;
/** When this many samples have come, all weigh half: what was slow is forgotten in time. */
const HALVING = 2_000;

/** How long something takes, lately: a histogram of fixed size whose old samples fade. */
export class LatencyWindow {
  readonly #buckets = new Float64Array(BUCKETS);
  #total = 0;
  #count = 0;

  /** Samples ever. */
  get count(): number {
    return this.#count;
  }

  add(ms: number): void {
    const bucket = Math.ceil(Math.log(ms / SMALLEST_MS) / Math.log(GROWTH));
    const at = Math.min(BUCKETS - 1, Math.max(0, bucket || 0));
    this.#buckets[at] = (this.#buckets[at] as number) + 1;
    this.#count++;
    if (++this.#total >= HALVING) this.#fade();
  }

  /** Milliseconds within which this share (0 to 1) of the samples lay; 0 before the first. */
  percentile(share: number): number {
    let left = share * this.#total;
    if (this.#total === 0) return 0;
    for (let at = 0; at < BUCKETS; at++) {
      left -= this.#buckets[at] as number;
      if (left <= 0) return SMALLEST_MS * GROWTH ** at;
    }
    return SMALLEST_MS * GROWTH ** (BUCKETS - 1);
  }

  #fade(): void {
    for (let at = 0; at < BUCKETS; at++) this.#buckets[at] = (this.#buckets[at] as number) / 2;
    this.#total /= 2;
  }
}
