/** Maximum duration of a quarantine, ms. If a node was not quarantined for this long, its next quarantine has the initial duration again. */
const MAX_MS = 3_600_000;

/** Durations of the quarantines of nodes; each quarantine of a node takes twice as long as its previous one. */
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

  /** Begins another quarantine. @param firstMs duration of the first quarantine, ms @returns duration of this quarantine, ms */
  begin(node: object, firstMs: number): number {
    const now = this.#now();
    const before = this.#reserved.get(node);
    const isFirst = before === undefined || now - before.until > MAX_MS;
    const ms = isFirst ? firstMs : Math.min(Math.max(2 * before.ms, firstMs), MAX_MS);
    this.#reserved.set(node, { until: now + ms, ms });
    return ms;
  }
}
