import type { BlockPlace } from '../chain/chain.ts';
import type { FeedBlock } from './feed.ts';
import { isChildOf } from './steps.ts';

/** Maximum number of cached blocks that left the chain, as a multiple of `windowBlocks`. */
const REMOVED_WINDOWS = 4;

/** Highest blocks of the followed chain (the window, without a gap from `lowest` to `tip`), and blocks that have left this chain. */
export class FeedChain {
  readonly #windowBlocks: number;
  /** Blocks of the window, lowest first. */
  #blocks: FeedBlock[] = [];
  /** Removed blocks by hash, in the order of removal. */
  readonly #removed = new Map<string, FeedBlock>();

  constructor(windowBlocks: number) {
    this.#windowBlocks = windowBlocks;
  }

  get tip(): FeedBlock | undefined {
    return this.#blocks.at(-1);
  }

  get lowest(): FeedBlock | undefined {
    return this.#blocks[0];
  }

  /** Returns the block with this number, if it is in the window. */
  at(number: bigint): FeedBlock | undefined {
    const [lowest] = this.#blocks;
    if (lowest === undefined || number < lowest.number) return undefined;
    return this.#blocks[Number(number - lowest.number)];
  }

  /** Returns up to `count` of the highest blocks. */
  listTop(count: number): readonly FeedBlock[] {
    return this.#blocks.slice(-count);
  }

  isOn({ number, hash }: BlockPlace): boolean {
    return this.at(number)?.hash === hash;
  }

  /** Returns a block that has left the chain, if it is cached. */
  findRemoved(hash: string): FeedBlock | undefined {
    return this.#removed.get(hash);
  }

  /** Returns the block with this hash, if it is in the window or a cached removed block. */
  find(hash: string): FeedBlock | undefined {
    return this.#removed.get(hash) ?? this.#blocks.findLast((block) => block.hash === hash);
  }

  /**
   * Replaces the blocks of the window from the number of the first new block on.
   * @param blocks new blocks; each block is the parent of the next
   * @returns the blocks that left the chain
   */
  replaceFrom(blocks: readonly FeedBlock[]): readonly FeedBlock[] {
    const [first] = blocks;
    if (first === undefined) return [];
    const parent = this.at(first.number - 1n);
    const remaining = parent !== undefined && isChildOf(first, parent) ? this.#blocks.indexOf(parent) + 1 : 0;
    const removed = this.#blocks.splice(remaining);
    for (const block of removed) this.#removed.set(block.hash, block);
    for (const block of blocks) this.#removed.delete(block.hash);
    this.#blocks.push(...blocks);
    this.#blocks.splice(0, this.#blocks.length - 1 - this.#windowBlocks);
    this.#forget();
    return removed.filter(({ hash }) => this.#removed.has(hash));
  }

  /**
   * Adds blocks below the lowest block of the window.
   * @param blocks highest first; a block that is not the parent of the block above it is skipped, with all blocks below it
   */
  extendBelow(blocks: readonly FeedBlock[]): void {
    const added: FeedBlock[] = [];
    let child = this.lowest;
    for (const block of blocks) {
      if (child === undefined || !isChildOf(child, block)) break;
      this.#removed.delete(block.hash);
      added.unshift(block);
      child = block;
    }
    this.#blocks.unshift(...added);
  }

  clear(): void {
    this.#blocks = [];
    this.#removed.clear();
  }

  #forget(): void {
    const max = REMOVED_WINDOWS * this.#windowBlocks;
    for (const hash of this.#removed.keys()) {
      if (this.#removed.size <= max) return;
      this.#removed.delete(hash);
    }
  }
}
