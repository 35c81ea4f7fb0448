import type { Clock } from '../../util/clock.ts';
import { UpstreamFault } from '../fault.ts';
import type { BlockHeader } from './block.ts';
import { BlockPace } from './block-pace.ts';
import type { ChainView } from './choose-head.ts';
import { FollowedChain } from './followed-chain.ts';
import type { HeadFeed, SyncClaim } from './head-feed.ts';
import { isSyncClaimTrue } from './lag.ts';
import { PollLoop } from './poll-loop.ts';
import { type PollPace, pausePolls, pauseUntilDue } from './poll-pace.ts';

export type HeadTrackerOptions = {
  /** Bounds of the time between two polls, milliseconds. */
  readonly pollInterval: { readonly min: number; readonly max: number };
  /** Milliseconds between two blocks, where it is not left to observation. */
  readonly blockTimeMs?: number | undefined;
  /** A node that reports that it is syncing is believed when it is this many blocks behind the target that it reports. */
  readonly syncTolerance: number;
  /** Latest, safe, finalized, whether it is syncing, or what is known below them changed. */
  onChange(): void;
  /** Whether something waits for the next head. */
  isAwaited(): boolean;
  readonly clock: Clock;
};

/** Time between blocks before any was observed, milliseconds. */
const FIRST_BLOCK_TIME = 2_000;
/** Poll intervals between two polls that only make sure that announcements are complete. */
const ANNOUNCED_FACTOR = 4;
/** Poll intervals between two looks at safe and finalized. */
const MARKS_FACTOR = 8;
/** How often marks are asked for in one poll where the head jumps meanwhile. */
const MAX_MARK_TRIES = 3;
/** Longest intervals that failures can add up to. */
const BACKOFF_FACTOR = 2;
/** Answers of a node that does not know a tag. */
const REFUSALS: ReadonlySet<UpstreamFault['kind']> = new Set(['missing', 'unsupported', 'unknown']);

/** What a node has said of its synchronisation. */
type ToldSync = { readonly claim: SyncClaim };

/**
 * Follows the heads of one upstream: announced where it announces them, polled at about twice the pace of its blocks
 * otherwise. What it reports of recent blocks is one chain at any time, that of `latest`.
 */
export class HeadTracker implements ChainView {
  readonly #feed: HeadFeed;
  readonly #options: HeadTrackerOptions;
  readonly #pace = new BlockPace();
  readonly #chain: FollowedChain;
  readonly #latestLoop: PollLoop;
  readonly #marksLoop: PollLoop;
  #safe: BlockHeader | undefined;
  #finalized: BlockHeader | undefined;
  #hasMarks = false;
  /** Counts jumps of the head: marks that were asked for before the last one are of another time. */
  #jumps = 0;
  #lastNumber: bigint | undefined;
  #sync: SyncClaim;
  /** Whether it has been asked whether it is syncing since the last poll that failed. */
  #hasSync = false;
  #isRunning = false;
  #endWatch: () => void = () => {};
  /** Announcements can be relied on: they come, and none was found missing. */
  #isAnnounced = false;
  /** Those that were taken. */
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

  /** Whether safe and finalized have been asked for. */
  get hasMarks(): boolean {
    return this.#hasMarks;
  }

  /** Whether the node says that it is syncing, and is. */
  get isSyncing(): boolean {
    return isSyncClaimTrue(this.#sync, this.latest, this.#options.syncTolerance);
  }

  /** The highest block that a syncing node knows of, where it reports that. */
  get syncTarget(): bigint | undefined {
    return this.isSyncing ? this.#sync?.target : undefined;
  }

  /** Polls of latest that failed since the last one that did not. */
  get failures(): number {
    return this.#latestLoop.failures;
  }

  /** Hash of a recent block of the upstream's chain, where it is known. */
  hashAt(number: bigint): string | undefined {
    return this.#chain.hashAt(number);
  }

  /** Header of a recent block of the upstream's chain, where it is in hand. */
  headerAt(number: bigint): BlockHeader | undefined {
    return this.#chain.headerAt(number);
  }

  /** Number of a recent block of the upstream's chain by its hash, where it is known. */
  numberOf(hash: string): bigint | undefined {
    return this.#chain.numberOf(hash);
  }

  /** False when the block is above the upstream's latest, or is known to be another there. */
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

  /** Ends polls and announcements. What is known stays readable; answers still to come are dropped. */
  stop(): void {
    this.#isRunning = false;
    this.#isAnnounced = false;
    this.#latestLoop.stop();
    this.#marksLoop.stop();
    this.#endWatch();
    this.#endWatch = () => {};
  }

  /** Whether it has not reported a block, and no poll for one has failed. */
  get isExpected(): boolean {
    return this.latest === undefined && this.#latestLoop.failures === 0;
  }

  hasShown(number: bigint): boolean {
    return this.#chain.hasShown(number);
  }

  /** Asks whether the node's chain contains a block of this number, below its head. Never rejects. */
  showBlock(number: bigint): Promise<void> {
    return this.#chain.showBlock(number);
  }

  /** Asks for latest now, or waits for the poll that is under way. Never rejects. */
  refresh(): Promise<void> {
    return this.#latestLoop.pollNow();
  }

  /** Asks for latest after this call and, where that is another block, for safe and finalized. Never rejects. */
  async refreshAnew(): Promise<void> {
    const before = this.latest?.hash;
    await this.#latestLoop.pollAnew();
    if (this.latest?.hash !== before) await this.#marksLoop.pollAnew();
  }

  #interval(): number {
    return pausePolls(this.#readPace());
  }

  /** From one poll for the latest block to the next. */
  #pause(): number {
    if (this.#isAnnounced) return this.#interval() * ANNOUNCED_FACTOR;
    const { clock, isAwaited } = this.#options;
    const { lastAt } = this.#pace;
    if (lastAt === undefined || !isAwaited()) return this.#interval();
    return pauseUntilDue(this.#readPace(), clock.now() - lastAt);
  }

  #readPace(): PollPace {
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

  /** Heads may have been missed in either case: the next poll is due. */
  #setAnnounced(isAnnounced: boolean): void {
    if (!this.#isRunning) return;
    this.#isAnnounced = isAnnounced;
    void this.#latestLoop.pollNow();
  }

  async #pollLatest(): Promise<void> {
    const before = this.#announcements;
    // A head counts only with what the node says of it: one that has just started may be syncing from block 0.
    const asking = this.#hasSync ? undefined : this.#askSync();
    if (this.isSyncing) await asking;
    const [block, told] = await Promise.all([this.#pollBlock(), asking]);
    if (block === null) throw new UpstreamFault('missing', 'the upstream knows no latest block');
    const hasEnded = told !== undefined && this.#isEndOfSync(told);
    if (told !== undefined && !hasEnded) this.#noteSync(told);
    // An announcement that came meanwhile may be newer than this answer.
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

  /** What the node says of its synchronisation; undefined where it is not asked. One that does not know the method is taken for synced. */
  async #askSync(): Promise<ToldSync | undefined> {
    if (this.#feed.getSync === undefined) return undefined;
    try {
      return { claim: await this.#feed.getSync() };
    } catch (fault) {
      if (!(fault instanceof UpstreamFault)) throw fault;
      // A node that cannot be asked is taken for what it was.
      return { claim: this.#sync };
    }
  }

  /** The head that is in hand is that of a syncing node: the end counts with the head after it. */
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
    const told = await this.#askSync();
    if (told === undefined || (this.#isEndOfSync(told) && !(await this.#pollTwice()))) return;
    this.#noteSync(told);
  }

  /** A poll that began after this call. @returns whether it was answered */
  async #pollTwice(): Promise<boolean> {
    await this.#latestLoop.pollAnew();
    return this.#latestLoop.failures === 0;
  }

  /** Finalized first: safe, asked for later, is then never below it. Of a node that jumps again and again they are left to the next poll. */
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

  /** A node that has caught up has other safe and finalized blocks than it reported while it was behind. */
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
