import type { BlockPlace } from '../chain/chain.ts';
import { ChainError } from '../chain/errors.ts';
import { continueWith, type PromiseOrValue } from '../primitives/promise-or-value.ts';
import { type FeedBlock, FeedError, type FeedStep } from './feed.ts';
import type { FollowedChain } from './followed-chain.ts';
import type { HeaderReads } from './header-reads.ts';
import type { FeedLimits } from './limits.ts';
import { addBlock, isChildOf, removeBlock } from './steps.ts';

/** Headers that are read in one go below the window, and held for one listener. */
const PIECE = 64;
const NONE: readonly FeedStep[] = [];

/**
 * Finds the way from any block to the tip of the followed chain, step by step: what comes next depends only on whether the block is on the
 * chain. In the window that is known; a window that does not reach down so far yet is made deeper, by parent hashes. Below the
 * window it is asked of the chain, by number.
 */
export class StepFinder {
  readonly #chain: FollowedChain;
  readonly #headers: HeaderReads;
  readonly #windowBlocks: bigint;

  constructor(chain: FollowedChain, headers: HeaderReads, { windowBlocks }: FeedLimits) {
    this.#chain = chain;
    this.#headers = headers;
    this.#windowBlocks = BigInt(windowBlocks);
  }

  /**
   * The next steps, at least one; none at the tip.
   * @throws ChainError where a block cannot be read now, FeedError `unknownBlock` where a block to be removed is not there any more
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
   * The next step where that takes back the block of this place; undefined where the block is on the chain.
   * @throws ChainError, FeedError as `findNext`
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

  /** Whether the window shows that this is no step from there any more. */
  contradicts(place: BlockPlace, { kind, block }: FeedStep): boolean {
    if (kind === 'removed') return this.#chain.isOn(place);
    const { lowest } = this.#chain;
    return lowest !== undefined && block.number >= lowest.number && !this.#chain.isOn(block);
  }

  /** Makes the window reach down to this number, as far as it may. @throws ChainError */
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
        throw new FeedError(
          'unknownBlock',
          `block ${place.hash}, which left the chain, is not known any more`,
        );
      return [removeBlock(block)];
    });
  }

  async #readUp(place: BlockPlace): Promise<readonly FeedStep[]> {
    const blocks = await this.#headers.readAbove(place.number, PIECE);
    const [first] = blocks;
    if (first !== undefined && isChildOf(first, place)) return blocks.map(addBlock);
    const own = place.number < 0n ? null : await this.#headers.readByNumber(place.number);
    if (own === null || own.hash === place.hash)
      throw new ChainError('unavailable', 'blocks of the chain do not fit together');
    return this.#takeBack(place);
  }
}

/**
 * Hashes of the blocks between a block and an ancestor of it that is at most `depth` below, this one included; none where that is no
 * ancestor.
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
