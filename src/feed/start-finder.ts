import type { BlockPlace } from '../chain/chain.ts';
import { FeedError, type FeedStart } from './feed.ts';
import type { FeedChain } from './followed-chain.ts';
import type { HeaderReads } from './header-reads.ts';
import type { FeedLimits } from './limits.ts';
import { listBetween } from './step-finder.ts';
import { BEFORE_GENESIS } from './steps.ts';

/**
 * Maximum number of blocks by which a start may be above the head. A client may have received a block above the head from another process whose node
 * is ahead.
 */
const MAX_AHEAD = 64;

/** Position where a listener starts. */
export type FoundStart = {
  readonly place: BlockPlace;
  /**
   * Hashes of the blocks from the start's parent down to the tip, if the start is a descendant of the tip. A listener receives no steps while the tip
   * is one of the blocks in `below`.
   */
  readonly below: readonly string[];
};

/** Finds the block after which a listener starts. Requires a tip. */
export class StartFinder {
  readonly #chain: FeedChain;
  readonly #headers: HeaderReads;
  readonly #limits: FeedLimits;

  constructor(chain: FeedChain, headers: HeaderReads, limits: FeedLimits) {
    this.#chain = chain;
    this.#headers = headers;
    this.#limits = limits;
  }

  /** Returns the start. @throws FeedError `unknownBlock`, `tooFar`; ChainError if a block cannot be read */
  async find(start: FeedStart, tip: BlockPlace): Promise<FoundStart> {
    if (start.kind === 'head') return { place: placeOf(tip), below: [] };
    if (start.kind === 'after') return this.#findHash(start.hash, tip);
    return { place: await this.#findNumber(start.number - 1n, tip), below: [] };
  }

  async #findHash(hash: string, tip: BlockPlace): Promise<FoundStart> {
    const known = this.#chain.find(hash);
    if (known !== undefined) return { place: placeOf(known), below: [] };
    const block = await this.#headers.readRemoved(hash);
    if (block === null) throw new FeedError('unknownBlock', `block ${hash} is not known`);
    this.#checkDistance(block, tip);
    return { place: placeOf(block), below: await listBetween(this.#headers, block, tip, MAX_AHEAD) };
  }

  async #findNumber(number: bigint, tip: BlockPlace): Promise<BlockPlace> {
    if (number > tip.number) throw new FeedError('unknownBlock', `block ${number + 1n} is beyond the head`);
    this.#checkDistance({ number }, tip);
    if (number < 0n) return BEFORE_GENESIS;
    const block = this.#chain.at(number) ?? (await this.#headers.readByNumber(number));
    if (block === null) throw new FeedError('unknownBlock', `block ${number} is not known`);
    return placeOf(block);
  }

  #checkDistance({ number }: Pick<BlockPlace, 'number'>, tip: BlockPlace): void {
    const { maxBlocks } = this.#limits;
    if (tip.number - number <= BigInt(maxBlocks)) return;
    throw new FeedError('tooFar', `more than ${maxBlocks} blocks before the head`);
  }
}

function placeOf({ number, hash }: BlockPlace): BlockPlace {
  return { number, hash };
}
