/** How long a node is believed not to take larger batches. */
const REMEMBERED_MS = 300_000;

/** How many calls a node takes in one batch: as many as configured, fewer for some minutes after it has refused as many. */
export class BatchSize {
  readonly #most: number;
  readonly #now: () => number;
  #limit: number;
  #until = Number.NEGATIVE_INFINITY;

  /** `now` is a monotonic clock in milliseconds. */
  constructor(most: number, now: () => number) {
    this.#most = most;
    this.#limit = most;
    this.#now = now;
  }

  /** Below 2 no batches are sent. */
  get limit(): number {
    if (this.#limit < this.#most && this.#now() >= this.#until) this.#limit = this.#most;
    return this.#limit;
  }

  /** @param isTooLarge whether fewer calls might have been taken: half of them are tried next */
  refuse(count: number, isTooLarge: boolean): void {
    const next = isTooLarge ? Math.floor(count / 2) : 1;
    if (next >= this.limit) return;
    this.#limit = next;
    this.#until = this.#now() + REMEMBERED_MS;
  }
}
