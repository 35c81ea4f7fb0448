/** Measures for how long a condition has been true without interruption. */
export class Persistence {
  readonly #limit: number;
  #since: number | undefined;

  constructor(limitMs: number) {
    this.#limit = limitMs;
  }

  /** Time since which the condition is true, in ms of `Clock.now()`; undefined if it is false. */
  get since(): number | undefined {
    return this.#since;
  }

  /** Returns the remaining time, ms, until the condition has been true for the whole limit. Returns infinity if the condition is false. */
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
