/** Measures how long something has been so without a break. */
export class Persistence {
  readonly #limit: number;
  #since: number | undefined;

  constructor(limitMs: number) {
    this.#limit = limitMs;
  }

  /** Since when it has been so, clock milliseconds; undefined while it is not. */
  get since(): number | undefined {
    return this.#since;
  }

  /** Milliseconds left until it has lasted for the limit; infinite while it is not so. */
  check(isSo: boolean, now: number): number {
    if (!isSo) {
      this.#since = undefined;
      return Number.POSITIVE_INFINITY;
    }
    this.#since ??= now;
    return this.#since + this.#limit - now;
  }

  reset(): void {
    this.#since = undefined;
  }
}
