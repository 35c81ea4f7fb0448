/** Measures for how long a condition has held without interruption. */
export class Persistence {
  readonly #limit: number;
  #since: number | undefined;

  constructor(limitMs: number) {
    this.#limit = limitMs;
  }

  /** Time at which the condition began to hold, clock ms; undefined if it does not hold. */
  get since(): number | undefined {
    return this.#since;
  }

  /** Returns the time until the condition has held for the limit, ms; infinite if it does not hold. */
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
