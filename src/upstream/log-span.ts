/** Time after which a node may be asked for twice as many blocks as it has refused before, milliseconds. */
const GROW_MS = 600_000;

/** A node that refuses fewer blocks, without a number, has another reason. */
const MIN_LEARNT = 8;

/** How many blocks one question for logs may have at a node, as far as that has been learnt from its answers. */
export class LogSpan {
  readonly #now: () => number;
  /** Undefined as long as it has refused no range. */
  #limit: number | undefined;
  #since = 0;
  /** In the node's own words. */
  #reason = '';

  constructor(now: () => number) {
    this.#now = now;
  }

  /** Blocks that it is worth asking for. */
  get limit(): number {
    if (this.#limit === undefined) return Number.POSITIVE_INFINITY;
    return this.#now() - this.#since >= GROW_MS ? 2 * this.#limit : this.#limit;
  }

  /** Why more is not worth asking for. */
  get reason(): string {
    return this.#reason;
  }

  noteServed(blocks: number): void {
    if (this.#limit !== undefined && blocks > this.#limit) this.#set(blocks);
  }

  /** @param allowed blocks that the node says it would take */
  noteRefused(blocks: number, allowed: number | undefined, reason: string): void {
    if (allowed === undefined && blocks < MIN_LEARNT) return;
    const limit = Math.max(1, allowed ?? Math.floor(blocks / 2));
    // Of several questions at the same time a smaller one may have been refused already.
    if (this.#limit !== undefined && blocks > this.limit && limit > this.#limit) return;
    this.#reason = reason;
    this.#set(limit);
  }

  #set(limit: number): void {
    this.#limit = limit;
    this.#since = this.#now();
  }
}
