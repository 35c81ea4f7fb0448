export type BackoffOptions = {
  readonly firstMs: number;
  readonly maxMs: number;
  /** Returns uniform random values in [0, 1). */
  readonly random?: () => number;
};

/** Exponential backoff: the delay doubles with every failure up to `maxMs`. Half of each delay is random, so that clients spread out. */
export class Backoff {
  readonly #firstMs: number;
  readonly #maxMs: number;
  readonly #random: () => number;
  #failures = 0;

  constructor({ firstMs, maxMs, random = Math.random }: BackoffOptions) {
    this.#firstMs = firstMs;
    this.#maxMs = maxMs;
    this.#random = random;
  }

  /** Returns the delay after one more failure, ms. */
  next(): number {
    const full = Math.min(this.#firstMs * 2 ** this.#failures, this.#maxMs);
    if (full < this.#maxMs) this.#failures++;
    return full / 2 + (this.#random() * full) / 2;
  }

  /** Resets the delay after a success. */
  reset(): void {
    this.#failures = 0;
  }
}
