import type { FeedStep } from '../../feed/feed.ts';

/**
 * Tells the blocks that came back to the chain after a reorg of which a subscriber that hears of added blocks alone has seen nothing: it was
 * sent no other block since they were removed, so that to it they never left.
 */
export class RetakenBlocks {
  /** Hashes of removed blocks since the last one that was sent, the lowest last. */
  readonly #removed: string[] = [];

  /** Whether the step is a block to be sent; to be called with every step. */
  isNew({ kind, block: { hash } }: FeedStep): boolean {
    if (kind === 'removed') {
      this.#removed.push(hash);
      return false;
    }
    if (this.#removed.at(-1) === hash) {
      this.#removed.pop();
      return false;
    }
    this.#removed.length = 0;
    return true;
  }
}
