import type { BlockLog, BlockPlace, Chain } from '../chain/chain.ts';
import { ChainError } from '../chain/errors.ts';
import { Backoff } from '../util/backoff.ts';
import { type Clock, systemClock } from '../util/clock.ts';
import type { RequestScope } from '../util/request-scope.ts';
import { SharedBudget } from '../util/shared-budget.ts';
import { SCHEDULER, type SlotScheduler } from '../util/slot-scheduler.ts';
import { BlockLogs } from './block-logs.ts';
import { CatchUpSlots } from './catch-up-slots.ts';
import { countValues } from './criteria.ts';
import { Cursor, type CursorParts } from './cursor.ts';
import {
  type FeedBlock,
  type FeedChanges,
  FeedError,
  type FeedListener,
  type FeedStart,
  type FeedStep,
  type LogTest,
  type NetworkFeed,
} from './feed.ts';
import { FeedChain } from './followed-chain.ts';
import { HeadFollower } from './head-follower.ts';
import { HeaderReads } from './header-reads.ts';
import { DEFAULT_FEED_LIMITS, type FeedLimits } from './limits.ts';
import { Member } from './member.ts';
import { PendingFeed } from './pending-feed.ts';
import { Pulse, PulseSoon } from './pulse.ts';
import { waitWithin } from './read-within.ts';
import { takeBackLogs } from './removed-logs.ts';
import type { RemovedRecords } from './removed-records.ts';
import { StartFinder } from './start-finder.ts';
import { StepFinder } from './step-finder.ts';
import { findPlaceBehind } from './steps.ts';
import { SyncFeed } from './sync-feed.ts';
import { WayBack } from './way-back.ts';

/** Name under which the feed itself takes scheduler slots, to serve listeners at the head. No client has the name `feed`. */
const OWNER = 'feed';
/** Maximum share of `criteriaValues` (addresses and topics) that one owner may use. */
const OWNER_SHARE = 0.5;
/** Maximum number of attempts to read one block. */
const MAX_ATTEMPTS = 4;
/** When the feed starts, it reads this many blocks below the head, so that it can follow reorgs of 32 blocks from the start. */
const FIRST_BLOCKS = 32n;

/** When the feed stops, it records this many of the highest blocks for other processes. Reorgs of more than 16 blocks are rare. */
const LAST_BLOCKS = 16;

export type NetworkFeedOptions = {
  readonly chain: Pick<Chain, 'heads' | 'blocks' | 'logs'>;
  readonly clock?: Clock;
  readonly limits?: Partial<FeedLimits>;
  readonly slots?: Pick<SlotScheduler, 'run'>;
  /** Records of blocks that left the chain, shared by all processes that follow the chain. */
  readonly removed?: RemovedRecords;
};

/** Creates the feed of a network's chain. The feed sends no requests to the chain before the first `join` or `read`. */
export function createNetworkFeed(options: NetworkFeedOptions): ServedFeed {
  return new ServedFeed(options);
}

/**
 * Feed of a chain's served head. From its first use on, the feed follows each new head, even without listeners, and reads one header per block. The
 * feed thus knows every reorg between two polls of a filter, or while a subscriber is disconnected, even if nodes drop the removed blocks. After
 * `idleMs` without use, the feed stops and clears its state.
 */
class ServedFeed implements NetworkFeed {
  readonly #chain: Pick<Chain, 'heads' | 'blocks' | 'logs'>;
  readonly #clock: Clock;
  readonly #limits: FeedLimits;
  readonly #removed: RemovedRecords | undefined;
  readonly #followed: FeedChain;
  readonly #headers: HeaderReads;
  readonly #logs: BlockLogs;
  readonly #steps: StepFinder;
  readonly #starts: StartFinder;
  readonly #wayBack: WayBack;
  readonly #follower: HeadFollower;
  readonly #moved = new Pulse();
  readonly #leaves = new PulseSoon(this.#moved);
  readonly #parts: CursorParts;
  readonly #slots: CatchUpSlots;
  /** Budget for the values of all listeners: the addresses and topics of their criteria, and `FeedListener.values`. */
  readonly #values: SharedBudget;
  readonly #pending: PendingFeed;
  readonly #sync: SyncFeed;
  /** Permanent cursors at the head, one without logs and one with logs; undefined while the head is not followed. */
  #main: { readonly steps: Cursor; readonly logs: Cursor } | undefined;
  /** Temporary cursors of listeners that catch up. */
  readonly #late = new Set<Cursor>();
  #usedAt = 0;
  /** Number of calls of `join`, `read` and `readLogs` in progress. */
  #requests = 0;
  #isClosed = false;

  constructor({ chain, clock = systemClock, limits, slots = SCHEDULER, removed }: NetworkFeedOptions) {
    this.#removed = removed;
    this.#chain = chain;
    this.#clock = clock;
    this.#limits = { ...DEFAULT_FEED_LIMITS, ...limits };
    this.#followed = new FeedChain(this.#limits.windowBlocks);
    this.#headers = new HeaderReads(chain.blocks, clock, this.#limits, removed);
    this.#logs = new BlockLogs(chain.logs, clock, this.#limits, removed);
    this.#steps = new StepFinder(this.#followed, this.#headers, this.#limits);
    this.#starts = new StartFinder(this.#followed, this.#headers, this.#limits);
    this.#wayBack = new WayBack(this.#steps, this.#logs);
    this.#slots = new CatchUpSlots(this.#limits.catchUpReads);
    this.#values = new SharedBudget(this.#limits.criteriaValues, OWNER_SHARE);
    this.#parts = {
      chain: this.#followed,
      steps: this.#steps,
      logs: this.#logs,
      clock,
      limits: this.#limits,
      slots,
      moved: this.#moved,
    };
    this.#follower = new HeadFollower({
      heads: chain.heads,
      headers: this.#headers,
      chain: this.#followed,
      clock,
      limits: this.#limits,
      onHead: ({ hash }) => this.#onHead(hash),
      onMove: () => this.#onMove(),
      onRemoved: (blocks) => this.#onRemoved(blocks),
    });
    this.#pending = new PendingFeed(chain.heads, {
      clock,
      slots,
      owner: OWNER,
      maxHashes: this.#limits.pendingHashes,
    });
    this.#sync = new SyncFeed(chain.heads);
  }

  get isSynced(): boolean {
    return this.#sync.isSynced;
  }

  /** Number of joined listeners. */
  get listeners(): number {
    const cursors = [...this.#late, ...(this.#main === undefined ? [] : [this.#main.steps, this.#main.logs])];
    return cursors.reduce((sum, { size }) => sum + size, 0);
  }

  async join(start: FeedStart, listener: FeedListener, scope: RequestScope): Promise<() => void> {
    const hasLogs = listener.logs !== undefined;
    const { place, below } = await this.#ask(scope, async () => {
      const found = await this.#findStart(start, scope);
      if (start.kind === 'after' && found.below.length === 0)
        await this.#wayBack.check(found.place, hasLogs, (work) => this.#attempt(scope, work));
      return found;
    });
    // The request may have ended, or the feed may have closed, during the search for the start.
    this.#checkOpen(scope);
    const owner = scope.owner ?? OWNER;
    const criteria = listener.logs === undefined ? 0 : countValues(listener.logs.criteria);
    const values = criteria + (listener.values ?? 0);
    if (!this.#values.tryTake(owner, values))
      throw new FeedError('tooMuch', 'subscriptions and filters name too many addresses, topics and hashes');
    const main = this.#follow();
    const member = new Member(listener, () => {
      this.#values.giveBack(owner, values);
      this.#usedAt = this.#clock.now();
      this.#leaves.fire();
    });
    const late: Cursor = new Cursor(this.#parts, {
      place,
      below,
      owner,
      hasLogs,
      into: hasLogs ? main.logs : main.steps,
      read: (work) => this.#slots.run(owner, late, work),
    });
    late.add(member);
    this.#late.add(late);
    void late.run().finally(() => this.#late.delete(late));
    return () => member.leave();
  }

  read(start: FeedStart, scope: RequestScope): Promise<FeedChanges> {
    return this.#ask(scope, async () => {
      const { place, below } = await this.#findStart(start, scope);
      const steps: FeedStep[] = [];
      let last = place;
      while (below.length === 0 && steps.length < this.#limits.readSteps) {
        const found = await this.#attempt(scope, () => this.#steps.findNext(last));
        const final = found.at(-1);
        if (final === undefined) break;
        steps.push(...found);
        last = findPlaceBehind(final);
      }
      return { steps, last };
    });
  }

  readLogs({ kind, block }: FeedStep, matches: LogTest, scope: RequestScope): Promise<readonly BlockLog[]> {
    return this.#ask(scope, async () => {
      const tip = this.#followed.tip?.number ?? block.number;
      const isRecent = tip - block.number <= BigInt(this.#limits.windowBlocks);
      const logs = await this.#attempt(scope, async () => {
        const read = await (kind === 'added'
          ? this.#logs.read(block.hash, isRecent)
          : this.#logs.readRemoved(block.hash, isRecent));
        if (read !== null) return read;
        if (kind === 'removed')
          throw new FeedError(
            'unknownBlock',
            `logs of the removed block ${block.hash} are no longer available`,
          );
        throw new ChainError('unavailable', `no node has the logs of block ${block.hash}`);
      });
      return (kind === 'added' ? logs : takeBackLogs(logs)).filter(matches);
    });
  }

  watchPending(listener: (hashes: readonly string[]) => void): (() => void) | undefined {
    return this.#isClosed ? undefined : this.#pending.watch(listener);
  }

  watchSync(listener: (isSynced: boolean) => void): () => void {
    return this.#isClosed ? () => {} : this.#sync.watch(listener);
  }

  close(): void {
    if (this.#isClosed) return;
    this.#isClosed = true;
    this.#stop(new FeedError('closed', 'the network is no longer served'));
    this.#pending.close();
    this.#sync.close();
  }

  /** Runs `work` until the request scope ends. */
  async #ask<T>(scope: RequestScope, work: () => Promise<T>): Promise<T> {
    this.#requests++;
    try {
      return await waitWithin(work(), scope);
    } finally {
      this.#requests--;
      this.#usedAt = this.#clock.now();
    }
  }

  async #findStart(start: FeedStart, scope: RequestScope): ReturnType<StartFinder['find']> {
    const tip = await this.#findTip(scope);
    return this.#attempt(scope, () => this.#starts.find(start, this.#followed.tip ?? tip));
  }

  /** Returns the tip of the followed chain as soon as the tip is the served head, or after `headWaitMs`. @throws ChainError if there is no tip */
  async #findTip(scope: RequestScope): Promise<BlockPlace> {
    this.#follow();
    this.#follower.follow();
    this.#checkOpen(scope);
    const { tip: current } = this.#followed;
    if (current !== undefined && this.#follower.isCurrent) return current;
    let isLate = false;
    const cancel = this.#clock.schedule(() => {
      isLate = true;
      this.#moved.fire();
    }, this.#limits.headWaitMs);
    try {
      for (;;) {
        this.#checkOpen(scope);
        const { tip } = this.#followed;
        if (tip !== undefined && (isLate || this.#follower.isCurrent)) return tip;
        if (tip === undefined && (isLate || this.#chain.heads.served === undefined))
          throw new ChainError('unavailable', this.#chain.heads.explainAbsence?.() ?? 'no head is served');
        await this.#moved.wait();
      }
    } finally {
      cancel();
    }
  }

  #checkOpen(scope: RequestScope): void {
    if (this.#isClosed) throw new FeedError('closed', 'the network is no longer served');
    if (scope.aborted) throw new ChainError('aborted', 'the request has ended');
  }

  /** Repeats a failed read, up to `MAX_ATTEMPTS` attempts. */
  async #attempt<T>(scope: RequestScope, work: () => T | Promise<T>): Promise<T> {
    const { retryFirstMs, retryMaxMs } = this.#limits;
    const backoff = new Backoff({ firstMs: retryFirstMs, maxMs: retryMaxMs });
    for (let attempt = 1; ; attempt++) {
      this.#checkOpen(scope);
      try {
        return await work();
      } catch (error) {
        const isFinal = error instanceof FeedError && error.kind === 'tooFar';
        if (isFinal || attempt >= MAX_ATTEMPTS) throw error;
        await new Promise<void>((resolve) => this.#clock.schedule(resolve, backoff.next()));
      }
    }
  }

  /** Starts following the head, unless already started. */
  #follow(): { readonly steps: Cursor; readonly logs: Cursor } {
    this.#usedAt = this.#clock.now();
    if (this.#main !== undefined) return this.#main;
    const place = { number: -1n, hash: '' };
    const main = {
      steps: new Cursor(this.#parts, { place, hasLogs: false, owner: OWNER }),
      logs: new Cursor(this.#parts, { place, hasLogs: true, owner: OWNER }),
    };
    this.#main = main;
    void main.steps.run();
    void main.logs.run();
    this.#follower.start();
    return main;
  }

  #stop(reason: FeedError): void {
    this.#follower.stop();
    // The highest blocks are recorded, because a feed that starts later may not see them leave the chain.
    for (const block of this.#followed.listTop(LAST_BLOCKS))
      void this.#removed?.keep(block, this.#logs.findCached(block.hash));
    for (const late of this.#late) late.close(reason);
    this.#main?.steps.close(reason);
    this.#main?.logs.close(reason);
    this.#main = undefined;
    this.#followed.clear();
    this.#logs.clear();
    this.#moved.fire();
  }

  #onHead(hash: string): void {
    // Logs of the new head are read concurrently with its header.
    if (this.#main !== undefined && this.#main.logs.size > 0) this.#logs.prefetch(hash, true);
  }

  #onRemoved(blocks: readonly FeedBlock[]): void {
    for (const block of blocks) void this.#keepRemoved(block);
  }

  /**
   * Records a block that left the chain, and its logs. Other processes use the record to report the block as removed, even if nodes have dropped the
   * block.
   */
  async #keepRemoved(block: FeedBlock): Promise<void> {
    const logs = this.#logs.findCached(block.hash);
    const keeping = this.#removed?.keep(block, logs);
    if (keeping === undefined || logs !== undefined) return;
    const read = await this.#logs.tryRead(block.hash);
    await keeping;
    if (read !== undefined) await this.#removed?.keep(block, read);
  }

  #onMove(): void {
    const { tip, lowest } = this.#followed;
    const isFirst = tip === lowest;
    const isIdle =
      this.listeners === 0 && this.#requests === 0 && this.#clock.now() - this.#usedAt > this.#limits.idleMs;
    if (isIdle) {
      this.#stop(new FeedError('closed', 'the feed is not used'));
      return;
    }
    this.#moved.fire();
    // A failure is ignored, because the blocks are read again when they are needed.
    if (isFirst && tip !== undefined) this.#steps.deepen(tip.number - FIRST_BLOCKS).catch(() => {});
  }
}
