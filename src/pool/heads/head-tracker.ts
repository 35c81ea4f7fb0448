import type { Clock } from '../../util/clock.ts';
import { UpstreamFault } from '../fault.ts';
import type { BlockHeader } from './block.ts';
import { BlockInterval } from './block-interval.ts';
import type { ChainView } from './choose-head.ts';
import { FollowedChain } from './followed-chain.ts';
import type { HeadFeed, SyncClaim } from './head-feed.ts';
import { isSyncClaimTrue } from './lag.ts';
import { type PollInterval, pausePolls, pauseUntilDue } from './poll-interval.ts';
import { PollLoop } from './poll-loop.ts';

export type HeadTrackerOptions = {
  /** Bounds of the poll interval, milliseconds. */
  readonly pollInterval: { readonly min: number; readonly max: number };
  /** Fixed block time in milliseconds; otherwise it is estimated. */
  readonly blockTimeMs?: number | undefined;
  /** A node counts as syncing when it reports that it is and is more than this many blocks behind the target that it reports. */
  readonly syncTolerance: number;
  /** Called when latest, safe, finalized, the sync state, or known blocks below the head changed. */
  onChange(): void;
  /** Whether something waits for the next head. */
  isAwaited(): boolean;
  readonly clock: Clock;
};

/** Assumed block time before any was observed, milliseconds. */
const FIRST_BLOCK_TIME = 2_000;
/** Poll interval multiplier while announcements arrive; such polls only detect missing ones. */
const ANNOUNCED_FACTOR = 4;
/** Interval between polls of safe and finalized, in poll intervals. */
const MARKS_FACTOR = 8;
/** Maximum number of attempts to read the marks in one poll while the head jumps. */
const MAX_MARK_TRIES = 3;
/** Bound of the backoff after failures, in longest intervals. */
const BACKOFF_FACTOR = 2;
/** Fault kinds of a node that does not know a tag. */
const REFUSALS: ReadonlySet<UpstreamFault['kind']> = new Set(['missing', 'unsupported', 'unknown']);

/** Sync state that a node reported. */
type ToldSync = { readonly claim: SyncClaim };

/**
 * Follows the heads of one upstream: by announcements where it sends them, otherwise by polls at about half its block time. The recent blocks that it reports
 * form one chain at any time, that of `latest`.
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
  /** Counts jumps of the head: marks requested before the last jump are stale. */
  #jumps = 0;
  #lastNumber: bigint | undefined;
  #sync: SyncClaim;
  /** Whether the sync state has been read since the last failed poll. */
  #hasSync = false;
  #isRunning = false;
  #endWatch: () => void = () => {};
  /** Whether announcements are reliable: they arrive, and none was found missing. */
  #isAnnounced = false;
  /** Number of announcements taken. */
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
      interval: () => this.#interval() * MARKS_FACTOR,
      maxBackoff: maxBackoff * MARKS_FACTOR,
      clock,
    });
  }

  get latest(): BlockHeader | undefined {
    return this.#chain.latest;
  }

  /** Undefined where the upstream does not know the tag. */
  get safe(): BlockHeader | undefined {
    return this.#safe;
  }

  /** Undefined where the upstream does not know the tag. */
  get finalized(): BlockHeader | undefined {
    return this.#finalized;
  }

  /** Whether safe and finalized have been read. */
  get hasMarks(): boolean {
    return this.#hasMarks;
  }

  /** Whether the node reports that it is syncing, and is behind its target. */
  get isSyncing(): boolean {
    return isSyncClaimTrue(this.#sync, this.latest, this.#options.syncTolerance);
  }

  /** The highest block that a syncing node knows of, where it reports one. */
  get syncTarget(): bigint | undefined {
    return this.isSyncing ? this.#sync?.target : undefined;
  }

  /** Failed polls of latest since the last successful one. */
  get failures(): number {
    return this.#latestLoop.failures;
  }

  /** Hash of a recent block of the upstream's chain, where it is known. */
  hashAt(number: bigint): string | undefined {
    return this.#chain.hashAt(number);
  }

  /** Header of a recent block of the upstream's chain, where it was received. */
  headerAt(number: bigint): BlockHeader | undefined {
    return this.#chain.headerAt(number);
  }

  /** Number of a recent block of the upstream's chain by its hash, where it is known. */
  numberOf(hash: string): bigint | undefined {
    return this.#chain.numberOf(hash);
  }

  /** False where the block is above the upstream's latest, or the upstream is known to have another one at that height. */
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

  /** Ends polls and announcements. Known blocks stay readable; pending replies are dropped. */
  stop(): void {
    this.#isRunning = false;
    this.#isAnnounced = false;
    this.#latestLoop.stop();
    this.#marksLoop.stop();
    this.#endWatch();
    this.#endWatch = () => {};
  }

  /** Whether the node has not reported a block, and no poll for one has failed. */
  get isExpected(): boolean {
    return this.latest === undefined && this.#latestLoop.failures === 0;
  }

  hasShown(number: bigint): boolean {
    return this.#chain.hasShown(number);
  }

  /** Requests the block of this number, below the head, to learn whether the node's chain contains it. Never rejects. */
  showBlock(number: bigint): Promise<void> {
    return this.#chain.showBlock(number);
  }

  /** Polls latest now, or waits for the poll in progress. Never rejects. */
  refresh(): Promise<void> {
    return this.#latestLoop.pollNow();
  }

  /** Polls latest with a request sent after this call and, where the block changed, safe and finalized. Never rejects. */
  async refreshAnew(): Promise<void> {
    const before = this.latest?.hash;
    await this.#latestLoop.pollAnew();
    if (this.latest?.hash !== before) await this.#marksLoop.pollAnew();
  }

  #interval(): number {
    return pausePolls(this.#readPace());
  }

  /** Pause between two polls of latest, milliseconds. */
  #pause(): number {
    if (this.#isAnnounced) return this.#interval() * ANNOUNCED_FACTOR;
    const { clock, isAwaited } = this.#options;
    const { lastAt } = this.#pace;
    if (lastAt === undefined || !isAwaited()) return this.#interval();
    return pauseUntilDue(this.#readPace(), clock.now() - lastAt);
  }

  #readPace(): PollInterval {
    const { pollInterval, blockTimeMs } = this.#options;
    return { ...pollInterval, blockTime: blockTimeMs ?? this.#pace.blockTime ?? FIRST_BLOCK_TIME };
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

  /** Polls at once: heads may have been missed in either case. */
  #setAnnounced(isAnnounced: boolean): void {
    if (!this.#isRunning) return;
    this.#isAnnounced = isAnnounced;
    void this.#latestLoop.pollNow();
  }

  async #pollLatest(): Promise<void> {
    const before = this.#announcements;
    // A head counts only together with the sync state: a node that has just started may be syncing from block 0.
    const requesting = this.#hasSync ? undefined : this.#requestSync();
    if (this.isSyncing) await requesting;
    const [block, told] = await Promise.all([this.#pollBlock(), requesting]);
    if (block === null) throw new UpstreamFault('missing', 'the upstream does not report a latest block');
    const hasEnded = told !== undefined && this.#isEndOfSync(told);
    if (told !== undefined && !hasEnded) this.#noteSync(told);
    // An announcement received meanwhile may be newer than this reply.
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

  /** Reads the sync state; undefined where the feed has no such request. The feed reports a node without the method as synced. */
  async #requestSync(): Promise<ToldSync | undefined> {
    if (this.#feed.getSync === undefined) return undefined;
    try {
      return { claim: await this.#feed.getSync() };
    } catch (fault) {
      if (!(fault instanceof UpstreamFault)) throw fault;
      // A node that cannot be asked retains its last known state.
      return { claim: this.#sync };
    }
  }

  /** Whether a sync has ended: the known head is still that of a syncing node, so the end takes effect with the next head. */
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
   * Polls latest with a request sent after this call.
   * @returns whether it succeeded
   */
  async #pollTwice(): Promise<boolean> {
    await this.#latestLoop.pollAnew();
    return this.#latestLoop.failures === 0;
  }

  /** Reads finalized first, so that safe, read later, is never below it. Where a node jumps repeatedly, the marks are left to the next poll. */
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

  /** Rejects only with faults that say nothing about the tag. */
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

  /** Drops the marks of a node that has caught up: it reported them while it was behind. */
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
