/** Duration of a window, ms. */
const WINDOW_MS = 100;
/** Number of windows in a second. */
const WINDOWS = 1_000 / WINDOW_MS;

/** Counts calls over the last second, in windows of a tenth of a second. Only the first call of a window costs more than an addition. */
export class CallRate {
  /** Calls of completed windows; the window with the number `n` is at `n % WINDOWS`. */
  readonly #completed: number[] = new Array<number>(WINDOWS).fill(0);
  /** Number of the current window since the origin of the clock. */
  #window = 0;
  /** End of the current window; monotonic, ms. */
  #end = 0;
  /** Calls of the current window; below 0 if it only withdraws calls of earlier windows. */
  #calls = 0;

  /** @param now a monotonic clock, ms */
  add(calls: number, now: number): void {
    if (now >= this.#end) this.#turn(now);
    this.#calls += calls;
  }

  /** Withdraws calls that were counted in the last second but not made. */
  withdraw(calls: number): void {
    this.#calls -= calls;
  }

  /** Returns the calls of the last second, to a tenth of a second. */
  countLastSecond(now: number): number {
    if (now >= this.#end) this.#turn(now);
    return Math.max(
      0,
      this.#completed.reduce((sum, calls) => sum + calls, this.#calls),
    );
  }

  /** Calls per second in the current window or in the one before, whichever had more calls. */
  get peak(): number {
    const before = this.#completed[(this.#window + WINDOWS - 1) % WINDOWS] as number;
    return Math.max(this.#calls, before) * WINDOWS;
  }

  #turn(now: number): void {
    const next = Math.floor(now / WINDOW_MS);
    this.#completed[this.#window % WINDOWS] = this.#calls;
    this.#calls = 0;
    // The last cleared place is the one of the new window, which held the window of a second ago.
    const first = Math.max(this.#window + 1, next - WINDOWS + 1);
    for (let window = first; window <= next; window++) this.#completed[window % WINDOWS] = 0;
    this.#window = next;
    this.#end = (next + 1) * WINDOW_MS;
  }
}
