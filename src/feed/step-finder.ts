import { continueWith, type PromiseOrValue } from '../../packages/ethereum/primitives/promise-or-value.ts';
import type { BlockPlace } from '../chain/chain.ts';
import { ChainError } from '../chain/errors.ts';
import { type FeedBlock, FeedError, type FeedStep } from './feed.ts';
import type { FeedChain } from './followed-chain.ts';
import type { HeaderReads } from './header-reads.ts';
import type { FeedLimits } from './limits.ts';
import { addBlock, isChildOf, removeBlock } from './steps.ts';

/** Maximum number of headers that are read at once below the window, and buffered for one listener. */
const PIECE = 64;
const NONE: readonly FeedStep[] = [];

/**
 * Finds the steps (removed and added blocks) from any block to the tip of the followed chain. The next step from a canonical block adds its child;
 * the next step from another block removes that block. Blocks in the window are known to be canonical. For a position at most `windowBlocks` below
 * the tip, the window is extended by following parent hashes. For a lower position, nodes are queried by block number.
 */
export class StepFinder {
  readonly #chain: FeedChain;
  readonly #headers: HeaderReads;
  readonly #windowBlocks: bigint;

  constructor(chain: FeedChain, headers: HeaderReads, { windowBlocks }: FeedLimits) {
    this.#chain = chain;
    this.#headers = headers;
    this.#windowBlocks = BigInt(windowBlocks);
  }

  /**
   * Returns the next steps from a position to the tip. The list is empty if the position is the tip, or if the followed chain has no tip yet.
   * @throws ChainError if a block cannot be read now; FeedError `unknownBlock` if a block to be removed is lost
   */
  findNext(place: BlockPlace): PromiseOrValue<readonly FeedStep[]> {
    const { tip, lowest } = this.#chain;
    if (tip === undefined || lowest === undefined) return NONE;
    if (this.#chain.isOn(place)) {
      const above = this.#chain.at(place.number + 1n);
      return above === undefined ? NONE : [addBlock(above)];
    }
    if (isChildOf(lowest, place)) return [addBlock(lowest)];
    if (place.number >= lowest.number - 1n) return this.#takeBack(place);
    if (tip.number - place.number > this.#windowBlocks) return this.#readUp(place);
    return this.#deepen(place.number).then(() => this.findNext(place));
  }

  /**
   * Returns the step that removes the block at this position; undefined if the block is canonical.
   * @throws ChainError, FeedError under the same conditions as `findNext`
   */
  findRemoval(place: BlockPlace): PromiseOrValue<FeedStep | undefined> {
    const { tip, lowest } = this.#chain;
    if (tip === undefined || lowest === undefined || place.number < 0n || this.#chain.isOn(place))
      return undefined;
    if (isChildOf(lowest, place)) return undefined;
    if (place.number >= lowest.number - 1n) return continueWith(this.#takeBack(place), ([step]) => step);
    if (tip.number - place.number > this.#windowBlocks)
      return continueWith(this.#headers.readByNumber(place.number), (own) => {
        if (own === null) throw new ChainError('unavailable', 'no node has a block of the served chain');
        return own.hash === place.hash ? undefined : continueWith(this.#takeBack(place), ([step]) => step);
      });
    return this.#deepen(place.number).then(() => this.findRemoval(place));
  }

  /**
   * Returns whether the window shows that a reorg has made a step wrong: the block to be removed is canonical again, or the block to be added is not
   * canonical.
   */
  contradicts(place: BlockPlace, { kind, block }: FeedStep): boolean {
    if (kind === 'removed') return this.#chain.isOn(place);
    const { lowest } = this.#chain;
    return lowest !== undefined && block.number >= lowest.number && !this.#chain.isOn(block);
  }

  /** Extends the window down to this number, within the limit of the window. @throws ChainError */
  async deepen(number: bigint): Promise<void> {
    const { tip } = this.#chain;
    if (tip === undefined) return;
    const bottom = tip.number - this.#windowBlocks;
    await this.#deepen(number > bottom ? number : bottom);
  }

  async #deepen(number: bigint): Promise<void> {
    const bottom = number < 0n ? 0n : number;
    for (
      let { lowest } = this.#chain;
      lowest !== undefined && lowest.number > bottom;
      { lowest } = this.#chain
    ) {
      const count = Math.min(PIECE, Number(lowest.number - bottom));
      this.#chain.extendBelow(
        await this.#headers.readAncestors(lowest.parentHash, lowest.number - 1n, count),
      );
    }
  }

  #takeBack(place: BlockPlace): PromiseOrValue<readonly FeedStep[]> {
    const known = this.#chain.findRemoved(place.hash);
    if (known !== undefined) return [removeBlock(known)];
    return continueWith(this.#headers.readRemoved(place.hash, place.number), (block) => {
      if (block === null)
        throw new FeedError('unknownBlock', `block ${place.hash}, which left the chain, is no longer known`);
      return [removeBlock(block)];
    });
  }

  async #readUp(place: BlockPlace): Promise<readonly FeedStep[]> {
    const blocks = await this.#headers.readAbove(place.number, PIECE);
    const [first] = blocks;
    if (first !== undefined && isChildOf(first, place)) return blocks.map(addBlock);
    const own = place.number < 0n ? null : await this.#headers.readByNumber(place.number);
    if (own === null || own.hash === place.hash)
      throw new ChainError('unavailable', 'blocks of the chain do not link to each other');
    return this.#takeBack(place);
  }
}

/**
 * Returns the hashes from a block's parent down to `ancestor`, both included; empty if `ancestor` is no ancestor, or more than `depth` blocks below.
 */
export async function listBetween(
  headers: HeaderReads,
  block: FeedBlock,
  ancestor: BlockPlace,
  depth: number,
): Promise<readonly string[]> {
  const above = block.number - ancestor.number;
  if (above <= 0n || above > BigInt(depth)) return [];
  const ancestors = await headers.readAncestors(block.parentHash, block.number - 1n, Number(above));
  return ancestors.at(-1)?.hash === ancestor.hash ? ancestors.map(({ hash }) => hash) : [];
}
