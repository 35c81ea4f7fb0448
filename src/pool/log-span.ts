/** Time after which twice the refused number of blocks may be requested from a node, milliseconds. */
const GROW_MS = 600_000;

/** A node that refuses fewer blocks without a number has another reason. */
const MIN_LEARNT = 8;

/** Maximum blocks per request for logs at a node, learned from its answers. */
export class LogSpan {
  readonly #now: () => number;
  /** Undefined as long as the node has refused no range. */
  #limit: number | undefined;
  #since = 0;
  /** Reason in the node's own words. */
  #reason = '';

  constructor(now: () => number) {
    this.#now = now;
  }

  /** Blocks above which a request is expected to be refused. */
  get limit(): number {
    if (this.#limit === undefined) return Number.POSITIVE_INFINITY;
    return this.#now() - this.#since >= GROW_MS ? 2 * this.#limit : this.#limit;
  }

  /** The node's reason for the limit. */
  get reason(): string {
    return this.#reason;
  }

  noteServed(blocks: number): void {
    if (this.#limit !== undefined && blocks > this.#limit) this.#set(blocks);
  }

  /** @param allowed number of blocks that the node says it accepts */
  noteRefused(blocks: number, allowed: number | undefined, reason: string): void {
    if (allowed === undefined && blocks < MIN_LEARNT) return;
    const limit = Math.max(1, allowed ?? Math.floor(blocks / 2));
    // A smaller concurrent request may have been refused already.
    if (this.#limit !== undefined && blocks > this.limit && limit > this.#limit) return;
    this.#reason = reason;
    this.#set(limit);
  }

  #set(limit: number): void {
    this.#limit = limit;
    this.#since = this.#now();
  }
}
