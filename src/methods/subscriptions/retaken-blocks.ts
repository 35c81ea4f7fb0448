import type { FeedStep } from '../../feed/feed.ts';

/**
 * Detects blocks that return to the chain after a reorg without any other block sent in between: to a subscriber that receives added blocks
 * only, they never left.
 */
export class RetakenBlocks {
  /** Hashes of blocks removed since the last one sent, the lowest last. */
  readonly #removed: string[] = [];

  /** Whether the step is a block to send; must be called with every step. */
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
