/** Time for which a node's refusal of a batch is remembered, ms. */
const REMEMBERED_MS = 300_000;

/** Maximum number of calls in a batch to a node: the configured number, or fewer for five minutes after the node has refused a batch. */
export class BatchSize {
  readonly #most: number;
  readonly #now: () => number;
  #limit: number;
  #until = Number.NEGATIVE_INFINITY;

  /**
   * @param most configured maximum
   * @param now monotonic clock, ms
   */
  constructor(most: number, now: () => number) {
    this.#most = most;
    this.#limit = most;
    this.#now = now;
  }

  /** Current maximum number of calls; below 2, no batches are sent. */
  get limit(): number {
    if (this.#limit < this.#most && this.#now() >= this.#until) this.#limit = this.#most;
    return this.#limit;
  }

  /**
   * Records that a batch of `count` calls was refused.
   * @param isTooLarge whether the node might have accepted fewer calls. If true, the limit becomes half of `count`, otherwise 1.
   */
  refuse(count: number, isTooLarge: boolean): void {
    const next = isTooLarge ? Math.floor(count / 2) : 1;
    if (next >= this.limit) return;
    this.#limit = next;
    this.#until = this.#now() + REMEMBERED_MS;
  }
}
