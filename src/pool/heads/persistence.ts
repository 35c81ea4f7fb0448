/** Measures how long a condition has held without a break. */
export class Persistence {
  readonly #limit: number;
  #since: number | undefined;

  constructor(limitMs: number) {
    this.#limit = limitMs;
  }

  /** When the condition began to hold, clock milliseconds; undefined while it does not. */
  get since(): number | undefined {
    return this.#since;
  }

  /** Milliseconds until the condition has held for the limit; infinite while it does not hold. */
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
