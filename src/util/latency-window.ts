/** Number of buckets per power of two. Each bucket is 2^(1/8) times as wide as the previous bucket, so a percentile is at most 9.1 % too high. */
const BUCKETS_PER_OCTAVE = 8;
/** Upper edge of the first bucket, ms. */
const SHORTEST_MS = 0.05;
/** Number of buckets. The buckets cover 0.05 ms to 105 s, and the last bucket also counts longer latencies. */
const BUCKETS: number = 21 * BUCKETS_PER_OCTAVE + 1;
/** Number of slices of the window. The window advances by one slice at a time. */
const SLICES = 4;

/**
 * Recent latencies: the samples of the last `windowMs`, or sometimes of up to a quarter less. The samples are stored as a histogram of fixed size,
 * about 3.4 KB. Recording a sample costs a few additions. A percentile costs a walk over at most 169 buckets.
 */
export class LatencyWindow {
  readonly #sliceMs: number;
  readonly #now: () => number;
  readonly #slices: readonly Uint32Array[];
  readonly #total = new Uint32Array(BUCKETS);
  #current = 0;
  #currentSince: number;
  #count = 0;

  /**
   * @param now a monotonic clock in milliseconds
   * @throws RangeError for a window that is not above 0
   */
  constructor(windowMs: number, now: () => number = () => performance.now()) {
    if (!(windowMs > 0)) throw new RangeError('the window must be above 0');
    this.#sliceMs = windowMs / SLICES;
    this.#now = now;
    this.#slices = Array.from({ length: SLICES }, () => new Uint32Array(BUCKETS));
    this.#currentSince = now();
  }

  /** Number of samples in the window. */
  get count(): number {
    this.#advance();
    return this.#count;
  }

  /**
   * Records one sample.
   * @param ms latency of the sample
   */
  record(ms: number): void {
    this.#advance();
    const bucket = findBucket(ms);
    increment(this.#slices[this.#current] as Uint32Array, bucket);
    increment(this.#total, bucket);
    this.#count++;
  }

  /** Returns the latency that `share` (0 to 1) of the samples did not exceed, milliseconds. Returns undefined without samples. */
  percentile(share: number): number | undefined {
    this.#advance();
    if (this.#count === 0) return undefined;
    const wanted = Math.min(Math.max(1, Math.ceil(share * this.#count)), this.#count);
    let seen = 0;
    let bucket = 0;
    for (const samples of this.#total) {
      seen += samples;
      if (seen >= wanted) break;
      bucket++;
    }
    return SHORTEST_MS * 2 ** (bucket / BUCKETS_PER_OCTAVE);
  }

  #advance(): void {
    const passed = Math.floor((this.#now() - this.#currentSince) / this.#sliceMs);
    if (passed <= 0) return;
    this.#currentSince += passed * this.#sliceMs;
    for (let i = 0; i < Math.min(passed, SLICES); i++) {
      this.#current = (this.#current + 1) % SLICES;
      this.#forget(this.#slices[this.#current] as Uint32Array);
    }
  }

  #forget(slice: Uint32Array): void {
    for (const [bucket, samples] of slice.entries()) {
      this.#total[bucket] = (this.#total[bucket] as number) - samples;
      this.#count -= samples;
    }
    slice.fill(0);
  }
}

function findBucket(ms: number): number {
  if (!(ms > SHORTEST_MS)) return 0;
  return Math.min(Math.ceil(Math.log2(ms / SHORTEST_MS) * BUCKETS_PER_OCTAVE), BUCKETS - 1);
}

function increment(counts: Uint32Array, bucket: number): void {
  counts[bucket] = (counts[bucket] as number) + 1;
}
