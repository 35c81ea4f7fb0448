import type { BlockHeader } from './block.ts';
import { BlockWindow, WINDOW_BLOCKS } from './block-window.ts';
import type { ChainView } from './choose-head.ts';

/** Blocks that left the chain because its head moved to another branch or to a lower block. */
export type Departure = {
  /** Hashes of the blocks that left, highest first. */
  readonly hashes: readonly string[];
  /** Highest block that is known to be on both the old and the new chain, as a number; undefined if none is known. */
  readonly ancestor: bigint | undefined;
};

/** Default depth below the head to which missing blocks are filled in from the upstreams' views. */
const LEARN_BLOCKS = 16;

/** The chain that a network serves: its head, and recent blocks that are known to be ancestors of the head. */
export class CanonicalChain {
  readonly #window = new BlockWindow();
  #head: BlockHeader | undefined;

  get head(): BlockHeader | undefined {
    return this.#head;
  }

  hashAt(number: bigint): string | undefined {
    return this.#window.hashAt(number);
  }

  headerAt(number: bigint): BlockHeader | undefined {
    return this.#window.headerAt(number);
  }

  numberOf(hash: string): bigint | undefined {
    return this.#window.numberOf(hash);
  }

  /** Returns the numbers of the blocks with a known hash, highest first. */
  numbers(): bigint[] {
    return this.#window.numbers();
  }

  /**
   * Makes `next` the head. The ancestors of `next` are read from the views that have `next`. A known block is removed if these views do not confirm
   * it as an ancestor of `next`.
   * @returns the removed blocks, if `next` is not above the head, or if a removed block is known to be on another branch
   */
  moveTo(next: BlockHeader, views: readonly ChainView[]): Departure | undefined {
    const grows = this.#head?.hash === next.parentHash;
    const departure = grows || this.#head === undefined ? undefined : this.#cut(this.#head, next, views);
    this.#head = next;
    this.#window.put(next.number, next.hash, next);
    this.learn(views, grows ? LEARN_BLOCKS : WINDOW_BLOCKS);
    return departure;
  }

  /** Fills in blocks from the views, up to `depth` blocks below the head. */
  learn(views: readonly ChainView[], depth: number = LEARN_BLOCKS): void {
    if (this.#head === undefined) return;
    const top = this.#head.number;
    const known = readAncestry(this.#head, views);
    for (let number = top - 1n; number > top - BigInt(depth) && number >= 0n; number--) {
      if (this.#window.headerAt(number) !== undefined) continue;
      const hash = this.#window.hashAt(number) ?? known.hashAt(number);
      if (hash !== undefined) this.#window.put(number, hash, known.headerOf(number, hash));
    }
  }

  /** Removes all blocks. */
  clear(): void {
    this.#head = undefined;
    this.#window.cutAbove(undefined);
  }

  #cut(head: BlockHeader, next: BlockHeader, views: readonly ChainView[]): Departure | undefined {
    const known = readAncestry(next, views);
    let isProven = next.number <= head.number;
    let ancestor: bigint | undefined;
    for (const number of this.#window.numbers()) {
      const hash = known.hashAt(number);
      if (hash === this.#window.hashAt(number)) {
        ancestor = number;
        break;
      }
      if (hash !== undefined) isProven = true;
    }
    const hashes = this.#window.cutAbove(ancestor);
    return isProven ? { hashes, ancestor } : undefined;
  }
}

type Ancestry = {
  hashAt(number: bigint): string | undefined;
  headerOf(number: bigint, hash: string): BlockHeader | undefined;
};

/** Returns access to the ancestors of a block, from its parent hash and from the views that have the block. */
function readAncestry(block: BlockHeader, views: readonly ChainView[]): Ancestry {
  const confirmations = views.filter((view) => view.hashAt(block.number) === block.hash);
  return {
    hashAt(number) {
      if (number > block.number) return undefined;
      if (number === block.number) return block.hash;
      return number === block.number - 1n ? block.parentHash : agreeOnHash(confirmations, number);
    },
    headerOf: (number, hash) =>
      confirmations.map((view) => view.headerAt(number)).find((header) => header?.hash === hash),
  };
}

/** Returns the hash that most views report at a height; on a tie, the hash that was counted first. */
function agreeOnHash(views: readonly ChainView[], number: bigint): string | undefined {
  return countHashes(views, number)[0]?.hash;
}

/** Counts the views that report each hash at a height, most frequent first. */
export function countHashes(
  views: readonly ChainView[],
  number: bigint,
): { readonly hash: string; readonly views: number }[] {
  const counts = new Map<string, number>();
  for (const view of views) {
    const hash = view.hashAt(number);
    if (hash !== undefined) counts.set(hash, (counts.get(hash) ?? 0) + 1);
  }
  return [...counts].map(([hash, views]) => ({ hash, views })).sort((a, b) => b.views - a.views);
}
