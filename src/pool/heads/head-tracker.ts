import type { Clock } from '../../util/clock.ts';
import { UpstreamFault } from '../fault.ts';
import type { BlockHeader } from './block.ts';
import { BlockInterval } from './block-interval.ts';
import type { ChainView } from './choose-head.ts';
import { FollowedChain } from './followed-chain.ts';
import type { HeadFeed, SyncClaim } from './head-feed.ts';
import { isSyncClaimTrue } from './lag.ts';
import {
  type PollInterval,
  pauseIdlePolls,
  pausePolls,
  pausePricedPolls,
  pauseUntilDue,
} from './poll-interval.ts';
import { PollLoop } from './poll-loop.ts';

export type HeadTrackerOptions = {
  /** Bounds of the poll interval, ms. */
  readonly pollInterval: { readonly min: number; readonly max: number };
  /** Fixed block time, ms; if absent, the block time is estimated. */
  readonly blockTimeMs?: number | undefined;
  /** A node that reports a sync with a target counts as syncing if its lag behind this target exceeds `syncTolerance`, blocks. */
  readonly syncTolerance: number;
  /** Called when `latest`, `safe`, `finalized`, the sync state, or the known blocks below the head have changed. */
  onChange(): void;
  /** Whether a request waits for the next head. */
  isAwaited(): boolean;
  /**
   * Demand for polls. `priced`: each poll costs credits, so polls are rarer. `idle`: other nodes decide the head, and polls only show that the node
   * answers. `usual` by default.
   */
  demand?(): PollDemand;
  /** Lag at which a node no longer counts as up to date, ms; needed for `idle`. */
  readonly maxLagMs?: number;
  readonly clock: Clock;
};

/** Demand for polls of a node. */
export type PollDemand = 'usual' | 'priced' | 'idle';

/** Factor on the interval between polls of the safe and finalized blocks if polls cost credits. Each of these polls has three requests. */
const PRICED_MARKS_FACTOR = 4;
/** Assumed block time before any was observed, ms. */
const FIRST_BLOCK_TIME = 2_000;
/** Factor on the poll interval while announcements of heads arrive. While heads are announced, polls only detect that announcements are missing. */
const ANNOUNCED_FACTOR = 4;
/** Interval between polls of the safe and finalized blocks, as a multiple of the poll interval. */
const MARKS_FACTOR = 8;
/** Maximum number of attempts to read safe and finalized in one poll while the head jumps. */
const MAX_MARK_TRIES = 3;
/** Maximum backoff after failures, as a multiple of `pollInterval.max`. */
const BACKOFF_FACTOR = 2;
/** Faults that mean that a node does not know the tag `safe` or `finalized`. */
const REFUSALS: ReadonlySet<UpstreamFault['kind']> = new Set(['missing', 'unsupported', 'unknown']);

/** Result of a request for the sync state. `claim` is undefined if the node is synced; if the node does not reply, it is the last known claim. */
type ToldSync = { readonly claim: SyncClaim };

/**
 * Follows the heads of one upstream: by announcements if the upstream sends them, otherwise by polls at about half the block time. Invariant: the
 * recent blocks that the tracker reports form one chain, which ends at `latest`.
 */
export class HeadTracker implements ChainView {
  readonly #feed: HeadFeed;
  readonly #options: HeadTrackerOptions;
  readonly #pace = new BlockInterval();
  readonly #chain: FollowedChain;
  readonly #latestLoop: PollLoop;
  readonly #marksLoop: PollLoop;
  #safe: BlockHeader | undefined;
  #finalized: BlockHeader | undefined;
  #hasMarks = false;
  /**
   * Number of jumps of the head by more than `syncTolerance` blocks. Safe and finalized blocks that were requested before the last jump are stale.
   */
  #jumps = 0;
  #lastNumber: bigint | undefined;
  #sync: SyncClaim;
  /** Whether the sync state has been read since the last failed poll. */
  #hasSync = false;
  #isRunning = false;
  #endWatch: () => void = () => {};
  /** Whether heads are announced by the node, and every head that a poll found had been announced before. */
  #isAnnounced = false;
  /** Number of received announcements. */
  #announcements = 0;

  constructor(feed: HeadFeed, options: HeadTrackerOptions) {
    this.#feed = feed;
    this.#options = options;
    const { clock, pollInterval } = options;
    this.#chain = new FollowedChain(
      (number) => feed.getBlock(number),
      (head) => this.#noteHead(head),
    );
    const maxBackoff = pollInterval.max * BACKOFF_FACTOR;
    this.#latestLoop = new PollLoop({
      poll: () => this.#pollLatest(),
      interval: () => this.#pause(),
      maxBackoff,
      clock,
    });
    this.#marksLoop = new PollLoop({
      poll: () => this.#pollMarks(),
      interval: () => this.#pauseMarks(),
      maxBackoff: maxBackoff * MARKS_FACTOR,
      clock,
    });
  }

  get latest(): BlockHeader | undefined {
    return this.#chain.latest;
  }

  /** Undefined if the upstream does not know the tag. */
  get safe(): BlockHeader | undefined {
    return this.#safe;
  }

  /** Undefined if the upstream does not know the tag. */
  get finalized(): BlockHeader | undefined {
    return this.#finalized;
  }

  /** Whether safe and finalized have been read. */
  get hasMarks(): boolean {
    return this.#hasMarks;
  }

  /** Whether the node reports that it is syncing and is more than `syncTolerance` blocks behind its target. */
  get isSyncing(): boolean {
    return isSyncClaimTrue(this.#sync, this.latest, this.#options.syncTolerance);
  }

  /** Number of the highest block that the syncing node knows of, if the node reports it. */
  get syncTarget(): bigint | undefined {
    return this.isSyncing ? this.#sync?.target : undefined;
  }

  /** Number of failed polls of `latest` since the last successful poll. */
  get failures(): number {
    return this.#latestLoop.failures;
  }

  /** Returns the hash of a recent block of the upstream's chain, if it is known. */
  hashAt(number: bigint): string | undefined {
    return this.#chain.hashAt(number);
  }

  /** Returns the header of a recent block of the upstream's chain, if it was received. */
  headerAt(number: bigint): BlockHeader | undefined {
    return this.#chain.headerAt(number);
  }

  /** Returns the number of a recent block of the upstream's chain by its hash, if it is known. */
  numberOf(hash: string): bigint | undefined {
    return this.#chain.numberOf(hash);
  }

  /**
   * Whether the upstream may have a block. Returns false if the block is above `latest`, or if the upstream is known to have a different block at
   * this height.
   */
  holds(number: bigint, hash?: string): boolean {
    if (this.latest === undefined || number > this.latest.number) return false;
    const known = this.#chain.hashAt(number);
    return hash === undefined || known === undefined || known === hash;
  }

  start(): void {
    if (this.#isRunning) return;
    this.#isRunning = true;
    this.#latestLoop.start();
    this.#marksLoop.start();
    this.#watch();
  }

  /** Ends polls and announcements. Known blocks can still be read; replies that have not arrived yet are dropped. */
  stop(): void {
    this.#isRunning = false;
    this.#isAnnounced = false;
    this.#latestLoop.stop();
    this.#marksLoop.stop();
    this.#endWatch();
    this.#endWatch = () => {};
  }

  /** Whether the first block of the node is still awaited: the node has reported no block, and no poll has failed. */
  get isExpected(): boolean {
    return this.latest === undefined && this.#latestLoop.failures === 0;
  }

  hasShown(number: bigint): boolean {
    return this.#chain.hasShown(number);
  }

  /** Requests a block below the head by number, to learn whether the chain of the node contains a known block. Never rejects. */
  showBlock(number: bigint): Promise<void> {
    return this.#chain.showBlock(number);
  }

  /** Polls `latest` now, or waits for the running poll. Never rejects. */
  refresh(): Promise<void> {
    return this.#latestLoop.pollNow();
  }

  /**
   * Polls `latest` with a request that is sent after this call. If the block has changed, also polls the safe and finalized blocks. Never rejects.
   */
  async refreshAnew(): Promise<void> {
    const before = this.latest?.hash;
    await this.#latestLoop.pollAnew();
    if (this.latest?.hash !== before) await this.#marksLoop.pollAnew();
  }

  /** Configured or measured time between blocks, ms; undefined if neither is known. */
  get blockTime(): number | undefined {
    return this.#options.blockTimeMs ?? this.#pace.blockTime;
  }

  #interval(): number {
    return pausePolls(this.#readPace());
  }

  get #demand(): PollDemand {
    return this.#options.demand?.() ?? 'usual';
  }

  /** Returns the pause between two polls of the safe and finalized blocks, ms. */
  #pauseMarks(): number {
    const demand = this.#demand;
    const usual = this.#interval() * MARKS_FACTOR;
    if (demand === 'usual') return usual;
    return (demand === 'idle' ? Math.max(usual, this.#pauseIdle()) : usual) * PRICED_MARKS_FACTOR;
  }

  #pauseIdle(): number {
    return pauseIdlePolls(this.#readPace(), this.#options.maxLagMs ?? Number.POSITIVE_INFINITY);
  }

  /** Returns the pause between two polls of `latest`, ms. */
  #pause(): number {
    const demand = this.#demand;
    if (demand === 'idle') return this.#pauseIdle();
    if (this.#isAnnounced) return this.#interval() * ANNOUNCED_FACTOR;
    const { clock, isAwaited } = this.#options;
    const { lastAt } = this.#pace;
    if (lastAt !== undefined && demand === 'priced')
      return pausePricedPolls(this.#readPace(), clock.now() - lastAt);
    if (lastAt === undefined || !isAwaited()) return this.#interval();
    return pauseUntilDue(this.#readPace(), clock.now() - lastAt);
  }

  #readPace(): PollInterval {
    const { pollInterval } = this.#options;
    return { ...pollInterval, blockTime: this.blockTime ?? FIRST_BLOCK_TIME };
  }

  #watch(): void {
    const end = this.#feed.watch?.({
      onHeader: (header) => {
        if (!this.#isRunning) return;
        this.#isAnnounced = true;
        if (this.#feed.getSync === undefined || this.#hasSync) {
          this.#announcements++;
          void this.#chain.take(header);
        } else void this.#latestLoop.pollNow();
      },
      onLost: () => this.#setAnnounced(false),
      onReady: () => this.#setAnnounced(true),
    });
    if (end !== undefined) this.#endWatch = end;
  }

  /** Polls immediately when announcements begin or end, because heads may have been missed at these times. */
  #setAnnounced(isAnnounced: boolean): void {
    if (!this.#isRunning) return;
    this.#isAnnounced = isAnnounced;
    void this.#latestLoop.pollNow();
  }

  async #pollLatest(): Promise<void> {
    const before = this.#announcements;
    // A head is used only with the sync state: a node that has just started may be syncing from block 0.
    const requesting = this.#hasSync ? undefined : this.#requestSync();
    if (this.isSyncing) await requesting;
    const [block, told] = await Promise.all([this.#pollBlock(), requesting]);
    if (block === null) throw new UpstreamFault('missing', 'the upstream does not report a latest block');
    const hasEnded = told !== undefined && this.#isEndOfSync(told);
    if (told !== undefined && !hasEnded) this.#noteSync(told);
    // Drops the reply if a head was announced during the poll, because the announced head may be newer.
    if (this.#announcements !== before) return;
    if (this.latest !== undefined && block.number > this.latest.number) this.#isAnnounced = false;
    await this.#chain.take(block);
    if (hasEnded) this.#noteSync(told);
  }

  async #pollBlock(): Promise<BlockHeader | null> {
    try {
      return await this.#feed.getBlock('latest');
    } catch (fault) {
      this.#hasSync = false;
      throw fault;
    }
  }

  /**
   * Requests the sync state; returns undefined if the feed has no function for this. If a node does not support `eth_syncing`, the feed reports that
   * the node is synced.
   */
  async #requestSync(): Promise<ToldSync | undefined> {
    if (this.#feed.getSync === undefined) return undefined;
    try {
      return { claim: await this.#feed.getSync() };
    } catch (fault) {
      if (!(fault instanceof UpstreamFault)) throw fault;
      // If the node does not answer `eth_syncing`, the last known sync state is used.
      return { claim: this.#sync };
    }
  }

  /** Whether a sync has ended. The sync ends only with the next head, because the node reported the known head during the sync. */
  #isEndOfSync({ claim }: ToldSync): boolean {
    return claim === undefined && this.isSyncing;
  }

  #noteSync({ claim }: ToldSync): void {
    const before = this.isSyncing;
    this.#sync = claim;
    this.#hasSync = true;
    if (this.isSyncing !== before) this.#noteChange();
  }

  async #pollSync(): Promise<void> {
    const told = await this.#requestSync();
    if (told === undefined || (this.#isEndOfSync(told) && !(await this.#pollTwice()))) return;
    this.#noteSync(told);
  }

  /**
   * Polls `latest` with a request that is sent after this call.
   * @returns whether the poll succeeded
   */
  async #pollTwice(): Promise<boolean> {
    await this.#latestLoop.pollAnew();
    return this.#latestLoop.failures === 0;
  }

  /**
   * Reads the finalized block before the safe block, so that safe is never below finalized. If the head keeps jumping while both tags are read, both
   * are read again at the next poll.
   */
  async #pollMarks(): Promise<void> {
    if (this.#hasSync) await this.#pollSync();
    let jumps: number;
    let finalized: BlockHeader | undefined;
    let safe: BlockHeader | undefined;
    let tries = 0;
    do {
      jumps = this.#jumps;
      finalized = await this.#getMark('finalized');
      safe = await this.#getMark('safe');
    } while (jumps !== this.#jumps && ++tries < MAX_MARK_TRIES);
    if (jumps !== this.#jumps) return;
    const isFirst = !this.#hasMarks;
    this.#hasMarks = true;
    if (!isFirst && finalized?.hash === this.#finalized?.hash && safe?.hash === this.#safe?.hash) return;
    this.#finalized = finalized;
    this.#safe = safe;
    this.#noteChange();
  }

  /** Returns undefined if the node does not know the tag; rejects with any other fault. */
  async #getMark(tag: 'safe' | 'finalized'): Promise<BlockHeader | undefined> {
    try {
      return (await this.#feed.getBlock(tag)) ?? undefined;
    } catch (fault) {
      if (fault instanceof UpstreamFault && REFUSALS.has(fault.kind)) return undefined;
      throw fault;
    }
  }

  #noteHead(head: BlockHeader): void {
    const before = this.#lastNumber;
    this.#lastNumber = head.number;
    if (before !== undefined && head.number - before > BigInt(this.#options.syncTolerance))
      this.#forgetMarks();
    this.#pace.observe(head, this.#options.clock.now());
    this.#noteChange();
  }

  /** Drops the safe and finalized blocks after a jump of the head: the node reported them while it was behind. */
  #forgetMarks(): void {
    this.#jumps++;
    this.#hasMarks = false;
    this.#safe = undefined;
    this.#finalized = undefined;
    if (this.#isRunning) void this.#marksLoop.pollNow();
  }

  #noteChange(): void {
    if (this.#isRunning) this.#options.onChange();
  }
}
