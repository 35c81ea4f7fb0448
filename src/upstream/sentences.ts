/** How long the first lasts, and the longest, milliseconds. */
const FIRST_MS = 60_000;
const MAX_MS = 3_600_000;

/** How long nodes stay out of service that gave wrong answers: twice as long each time. */
export class Sentences {
  readonly #now: () => number;
  readonly #held = new WeakMap<object, { readonly until: number; readonly ms: number }>();

  /** `now` is a monotonic clock in milliseconds. */
  constructor(now: () => number) {
    this.#now = now;
  }

  isHeld(node: object): boolean {
    const held = this.#held.get(node);
    return held !== undefined && this.#now() < held.until;
  }

  /** Begins another one. @returns how long it lasts, milliseconds */
  begin(node: object): number {
    const before = this.#held.get(node);
    const ms = before === undefined ? FIRST_MS : Math.min(2 * before.ms, MAX_MS);
    this.#held.set(node, { until: this.#now() + ms, ms });
    return ms;
  }
}
