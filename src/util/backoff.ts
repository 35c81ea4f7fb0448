export type BackoffOptions = {
  readonly firstMs: number;
  readonly maxMs: number;
  /** Uniform in [0, 1). */
  readonly random?: () => number;
};

/** Waiting times that double with every failure; half of each is left to chance, so that clients spread out. */
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

  /** Milliseconds to wait after one more failure. */
  next(): number {
    const full = Math.min(this.#firstMs * 2 ** this.#failures, this.#maxMs);
    if (full < this.#maxMs) this.#failures++;
    return full / 2 + (this.#random() * full) / 2;
  }

  /** After a success. */
  reset(): void {
    this.#failures = 0;
  }
}
