import type { BlockPlace, HeadReads } from '../chain/chain.ts';
import { ChainError } from '../chain/errors.ts';
import { Backoff } from '../util/backoff.ts';
import type { Clock } from '../util/clock.ts';
import type { FeedBlock } from './feed.ts';
import type { FeedChain } from './followed-chain.ts';
import type { HeaderReads } from './header-reads.ts';
import type { FeedLimits } from './limits.ts';

/**
 * Maximum number of concurrent walks. A walk reads the blocks from a new head down to the window. A second walk, to a newer head, prevents delays by
 * an unreadable block of an abandoned branch. A running walk continues when the head changes, so it completes even if heads change faster than blocks
 * are read.
 */
const MAX_WALKS = 2;
/** Maximum number of headers per batch of requests, after the head has moved by several blocks. */
const PIECE = 64;

type Walk = {
  readonly order: number;
  readonly target: BlockPlace;
  isOver: boolean;
  /** True if the walk pauses between two attempts to read a block. */
  isPausing: boolean;
};

export type HeadFollowerOptions = {
  readonly heads: Pick<HeadReads, 'served' | 'watch'>;
  readonly headers: HeaderReads;
  readonly chain: FeedChain;
  readonly clock: Clock;
  readonly limits: FeedLimits;
  /** Called when the served head has changed; its block has not been read yet. */
  readonly onHead: (served: BlockPlace) => void;
  /** Called when the followed chain has changed. */
  readonly onMove: () => void;
  /** Called when these blocks have left the followed chain. */
  readonly onRemoved: (blocks: readonly FeedBlock[]) => void;
};

/**
 * Updates the followed chain to the served head, by following parent hashes from each new head down to a block of the window. An unreadable block is
 * requested again until it is available or the head has changed.
 */
export class HeadFollower {
  readonly #options: HeadFollowerOptions;
  #unwatch: (() => void) | undefined;
  readonly #walks = new Set<Walk>();
  #lastOrder = 0;
  #appliedOrder = 0;

  constructor(options: HeadFollowerOptions) {
    this.#options = options;
  }

  get isFollowing(): boolean {
    return this.#unwatch !== undefined;
  }

  /** Returns whether the tip of the followed chain is the served head. */
  get isCurrent(): boolean {
    const { heads, chain } = this.#options;
    return heads.served === undefined || heads.served.hash === chain.tip?.hash;
  }

  start(): void {
    if (this.#unwatch !== undefined) return;
    this.#unwatch = this.#options.heads.watch(() => this.follow());
    this.follow();
  }

  stop(): void {
    this.#unwatch?.();
    this.#unwatch = undefined;
    for (const walk of this.#walks) walk.isOver = true;
    this.#walks.clear();
  }

  /** Checks the served head, without waiting for its announcement. */
  follow(): void {
    const { served } = this.#options.heads;
    if (this.#unwatch === undefined || served === undefined || this.isCurrent) return;
    for (const walk of this.#walks) {
      if (walk.target.hash === served.hash) return;
      if (walk.isPausing) this.#giveUp(walk);
    }
    if (this.#walks.size >= MAX_WALKS) return;
    const walk: Walk = { order: ++this.#lastOrder, target: served, isOver: false, isPausing: false };
    this.#walks.add(walk);
    this.#options.onHead(served);
    void this.#run(walk);
  }

  async #run(walk: Walk): Promise<void> {
    const blocks = await this.#readBranch(walk);
    this.#walks.delete(walk);
    if (!walk.isOver && blocks !== undefined) {
      this.#appliedOrder = walk.order;
      for (const other of this.#walks) if (other.order < this.#appliedOrder) this.#giveUp(other);
      const removed = this.#options.chain.replaceFrom(blocks);
      if (removed.length > 0) this.#options.onRemoved(removed);
      this.#options.onMove();
    }
    this.follow();
  }

  #giveUp(walk: Walk): void {
    walk.isOver = true;
    this.#walks.delete(walk);
  }

  /**
   * Returns the blocks up to the target (a served head) that are not in the window, lowest first, at most `windowBlocks` + 1. The result is undefined
   * if the walk is abandoned.
   */
  async #readBranch(walk: Walk): Promise<readonly FeedBlock[] | undefined> {
    const { clock, limits, heads } = this.#options;
    const backoff = new Backoff({ firstMs: limits.retryFirstMs, maxMs: limits.retryMaxMs });
    /** Highest first. */
    const blocks: FeedBlock[] = [];
    while (!walk.isOver) {
      try {
        await this.#extend(blocks, walk);
        return blocks.reverse();
      } catch {
        if (heads.served?.hash !== walk.target.hash && heads.served !== undefined) return undefined;
        walk.isPausing = true;
        await new Promise<void>((resolve) => clock.schedule(resolve, backoff.next()));
        walk.isPausing = false;
      }
    }
    return undefined;
  }

  async #extend(blocks: FeedBlock[], walk: Walk): Promise<void> {
    const { headers, chain, limits } = this.#options;
    if (blocks.length === 0) {
      const { hash, number } = walk.target;
      const block = await headers.readByHash(hash, number);
      if (block === null) throw new ChainError('unavailable', 'no node has the served head');
      blocks.push(block);
    }
    for (let last = blocks.at(-1); last !== undefined && !this.#isEnd(last); last = blocks.at(-1)) {
      if (blocks.length > limits.windowBlocks || walk.isOver) return;
      const count = this.#countMissing(last, limits.windowBlocks - blocks.length + 1);
      const { tip } = chain;
      if (count <= 0 || tip === undefined) return;
      blocks.push(...(await headers.readAncestors(last.parentHash, last.number - 1n, count)));
    }
  }

  /** Returns whether this block's parent is in the window, or cannot be compared with the window. */
  #isEnd({ number, parentHash }: FeedBlock): boolean {
    const { tip, lowest } = this.#options.chain;
    if (tip === undefined || lowest === undefined || number <= lowest.number) return true;
    return this.#options.chain.isOn({ number: number - 1n, hash: parentHash });
  }

  /** Returns the number of ancestors to read at once: first all ancestors above the tip of the window, then one at a time. */
  #countMissing({ number }: FeedBlock, max: number): number {
    const tip = this.#options.chain.tip?.number ?? number;
    const gap = number - 1n - tip;
    return Math.min(max, PIECE, gap > 1n ? Number(gap) : 1);
  }
}
