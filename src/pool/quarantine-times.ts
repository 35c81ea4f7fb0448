/** Longest quarantine, milliseconds. After as long without another one, the next is short again. */
const MAX_MS = 3_600_000;

/** Durations of quarantines of nodes: doubled each time. */
export class QuarantineTimes {
  readonly #now: () => number;
  readonly #reserved = new WeakMap<object, { readonly until: number; readonly ms: number }>();

  /** @param now monotonic clock, milliseconds */
  constructor(now: () => number) {
    this.#now = now;
  }

  isActive(node: object): boolean {
    const reserved = this.#reserved.get(node);
    return reserved !== undefined && this.#now() < reserved.until;
  }

  /** Begins another quarantine. @param firstMs duration of the first one @returns duration of this one, milliseconds */
  begin(node: object, firstMs: number): number {
    const now = this.#now();
    const before = this.#reserved.get(node);
    const isFirst = before === undefined || now - before.until > MAX_MS;
    const ms = isFirst ? firstMs : Math.min(Math.max(2 * before.ms, firstMs), MAX_MS);
    this.#reserved.set(node, { until: now + ms, ms });
    return ms;
  }
}
