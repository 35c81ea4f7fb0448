/** Time after which twice the learned limit may be requested from a node, ms. */
const GROW_MS = 600_000;

/** If a node refuses fewer blocks than this and names no limit, the length of the range is not the reason, and no limit is learned. */
const MIN_LEARNT = 8;

/** Maximum number of blocks per request for logs that a node accepts, learned from its answers. */
export class LogSpan {
  readonly #now: () => number;
  /** Undefined until the node has refused a range. */
  #limit: number | undefined;
  #since = 0;
  /** Message with which the node refused a larger range. */
  #reason = '';

  constructor(now: () => number) {
    this.#now = now;
  }

  /** Maximum number of blocks that the node is expected to accept; infinite until it has refused a range. */
  get limit(): number {
    if (this.#limit === undefined) return Number.POSITIVE_INFINITY;
    return this.#now() - this.#since >= GROW_MS ? 2 * this.#limit : this.#limit;
  }

  /** Message with which the node refused a larger range. */
  get reason(): string {
    return this.#reason;
  }

  noteServed(blocks: number): void {
    if (this.#limit !== undefined && blocks > this.#limit) this.#set(blocks);
  }

  /** @param allowed maximum number of blocks per request that the node's message names, if any */
  noteRefused(blocks: number, allowed: number | undefined, reason: string): void {
    if (allowed === undefined && blocks < MIN_LEARNT) return;
    const limit = Math.max(1, allowed ?? Math.floor(blocks / 2));
    // The node may already have refused a smaller concurrent request, which set a lower limit.
    if (this.#limit !== undefined && blocks > this.limit && limit > this.#limit) return;
    this.#reason = reason;
    this.#set(limit);
  }

  #set(limit: number): void {
    this.#limit = limit;
    this.#since = this.#now();
  }
}
