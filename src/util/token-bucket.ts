export type TokenBucketOptions = {
  /** Maximum tokens. A new bucket is full. */
  readonly capacity: number;
  /** Number of tokens added per second. */
  readonly perSecond?: number;
  /** A monotonic clock in milliseconds. */
  readonly now?: () => number;
};

/**
 * Token bucket. Actions cost tokens. Tokens are added over time, by `earn`, or in both ways. Example that limits retries to a tenth of the requests: call
 * `earn(0.1)` with each request, and `tryTake()` before each retry.
 */
export class TokenBucket {
  readonly #capacity: number;
  readonly #perSecond: number;
  readonly #now: () => number;
  #tokens: number;
  #filledAt: number;

  /** @throws RangeError for a capacity not above 0, or a negative rate */
  constructor({ capacity, perSecond = 0, now = () => performance.now() }: TokenBucketOptions) {
    if (!(capacity > 0 && perSecond >= 0))
      throw new RangeError('the capacity must be above 0, and the rate must not be negative');
    this.#capacity = capacity;
    this.#perSecond = perSecond;
    this.#now = now;
    this.#tokens = capacity;
    this.#filledAt = now();
  }

  get tokens(): number {
    this.#fill();
    return this.#tokens;
  }

  /** Takes `tokens`. If the bucket has fewer tokens, takes none and returns `false`. */
  tryTake(tokens = 1): boolean {
    this.#fill();
    if (this.#tokens < tokens) return false;
    this.#tokens -= tokens;
    return true;
  }

  earn(tokens: number): void {
    this.#fill();
    this.#tokens = Math.min(this.#capacity, this.#tokens + tokens);
  }

  #fill(): void {
    if (this.#perSecond === 0) return;
    const now = this.#now();
    const earned = ((now - this.#filledAt) / 1_000) * this.#perSecond;
    this.#filledAt = now;
    this.#tokens = Math.min(this.#capacity, this.#tokens + earned);
  }
}
