/** Time after which twice the refused number of blocks may be requested from a node, ms. */
const GROW_MS = 600_000;

/** If a node refuses fewer blocks than this and names no number, the refusal has another reason. */
const MIN_LEARNT = 8;

/** Maximum number of blocks per request for logs that a node accepts, learned from its answers. */
export class LogSpan {
  readonly #now: () => number;
  /** Undefined until the node has refused a range. */
  #limit: number | undefined;
  #since = 0;
  /** Reason for the limit in the words of the node. */
  #reason = '';

  constructor(now: () => number) {
    this.#now = now;
  }

  /** Number of blocks above which a request is expected to be refused. */
  get limit(): number {
    if (this.#limit === undefined) return Number.POSITIVE_INFINITY;
    return this.#now() - this.#since >= GROW_MS ? 2 * this.#limit : this.#limit;
  }

  /** Reason for the limit in the words of the node. */
  get reason(): string {
    return this.#reason;
  }

  noteServed(blocks: number): void {
    if (this.#limit !== undefined && blocks > this.#limit) this.#set(blocks);
  }

  /** @param allowed number of blocks that the node accepts, if its message names one */
  noteRefused(blocks: number, allowed: number | undefined, reason: string): void {
    if (allowed === undefined && blocks < MIN_LEARNT) return;
    const limit = Math.max(1, allowed ?? Math.floor(blocks / 2));
    // A smaller concurrent request may already have been refused.
    if (this.#limit !== undefined && blocks > this.limit && limit > this.#limit) return;
    this.#reason = reason;
    this.#set(limit);
  }

  #set(limit: number): void {
    this.#limit = limit;
    this.#since = this.#now();
  }
}
