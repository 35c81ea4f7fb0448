import type { FeedStep } from '../feed/feed.ts';
import { limitOf } from '../util/bounds.ts';
import { type Clock, systemClock } from '../util/clock.ts';
import { RequestScope } from '../util/request-scope.ts';
import { SharedBudget } from '../util/shared-budget.ts';
import { BlockTransactions } from './block-transactions.ts';
import type { Network } from './network.ts';

/** Maximum share of one key in all calls that wait for the inclusion of a transaction. */
const OWNER_SHARE = 0.5;
/**
 * Interval between look-ups of a receipt that no new block triggers, ms. Look-ups without a new block occur in two cases: the feed is not followed,
 * or a block may include the transaction but the receipt is not available yet.
 */
const LOOK_AGAIN_MS = 1_000;
/**
 * Maximum number of queued blocks; their transactions are still to be read. On overflow the queue is dropped, and every waiting call performs its own
 * look-up.
 */
const MAX_BLOCKS = 32;

type Source = Pick<Network, 'chain' | 'feed'>;

/** Membership of the feed. `leave` leaves the feed; it is absent while the feed is being joined. */
type Joined = { readonly scope: RequestScope; leave?: () => void };

/** Wait of one call for the inclusion of its transaction. */
export class Inclusion {
  readonly hash: string;
  readonly #clock: Clock;
  readonly #onEnd: (inclusion: Inclusion) => void;
  readonly #isFollowed: () => boolean;
  /** Whether some block includes, or may include, the transaction. */
  #isSeen = false;
  /** Whether the receipt has to be looked up, because `see` was called since the last look-up. */
  #isDue = false;
  #wake: (() => void) | undefined;

  constructor(hash: string, clock: Clock, isFollowed: () => boolean, onEnd: (inclusion: Inclusion) => void) {
    this.hash = hash;
    this.#clock = clock;
    this.#isFollowed = isFollowed;
    this.#onEnd = onEnd;
  }

  /** Records that a block may include the transaction, and wakes the waiting call. */
  see(): void {
    this.#isSeen = true;
    this.#isDue = true;
    this.#wake?.();
  }

  /**
   * Waits until the receipt may be available.
   * @param endMs maximum wait from now, ms
   * @returns false when the wait expired or the scope was aborted
   */
  async wait(endMs: number, scope: RequestScope): Promise<boolean> {
    if (endMs <= 0 || scope.aborted) return false;
    const start = this.#clock.now();
    if (!this.#isDue) await this.#rest(endMs, scope);
    const isDue = this.#isDue;
    this.#isDue = false;
    return !scope.aborted && (isDue || this.#clock.now() - start < endMs);
  }

  #rest(endMs: number, scope: RequestScope): Promise<void> {
    return new Promise((resolve) => {
      const pause = this.#isSeen || !this.#isFollowed() ? Math.min(LOOK_AGAIN_MS, endMs) : endMs;
      const cancel = this.#clock.schedule(() => this.#wake?.(), pause);
      this.#wake = () => {
        this.#wake = undefined;
        cancel();
        scope.signal.removeEventListener('abort', wake);
        resolve();
      };
      const wake = (): void => this.#wake?.();
      scope.signal.addEventListener('abort', wake);
    });
  }

  /** Ends the wait of this call. */
  end(): void {
    this.#onEnd(this);
  }
}

/**
 * Notifies waiting calls when a new block includes their transaction. The watch follows the feed while at least one call waits. The watch reads the
 * transaction list of each block once for all calls. Without a feed, each call looks up its receipt once a second.
 */
export class InclusionWatch {
  static readonly #ofChains = new WeakMap<Network['chain'], InclusionWatch>();
  /** Budget for calls that wait for the inclusion of a transaction. A waiting call occupies only the memory of its body. */
  readonly places: SharedBudget = new SharedBudget(limitOf('sends.waiting'), OWNER_SHARE);
  readonly #source: Source;
  readonly #clock: Clock;
  readonly #waiting = new Map<string, Set<Inclusion>>();
  readonly #blocks: string[] = [];
  #isLooking = false;
  /** Defined from the start of joining the feed until the feed is left. */
  #joined: Joined | undefined;
  #joining: Promise<void> | undefined;

  constructor(source: Source, clock: Clock = systemClock) {
    this.#source = source;
    this.#clock = clock;
  }

  /** Returns the instance that all calls on a network's chain share. */
  static of(network: Source): InclusionWatch {
    const { chain } = network;
    const known = InclusionWatch.#ofChains.get(chain);
    if (known !== undefined) return known;
    const created = new InclusionWatch(network);
    InclusionWatch.#ofChains.set(chain, created);
    return created;
  }

  /** Number of transaction hashes that calls wait for. */
  get size(): number {
    return this.#waiting.size;
  }

  /** Whether the feed is being followed. */
  get isFollowing(): boolean {
    return this.#joined?.leave !== undefined;
  }

  /**
   * Starts watching for a transaction. Resolves once the feed is followed, or cannot be followed. After that, the caller must look up the receipt,
   * because earlier inclusions are not noticed. The caller must call `end` of the returned object.
   */
  async begin(hash: string): Promise<Inclusion> {
    const inclusion = new Inclusion(
      hash,
      this.#clock,
      () => this.isFollowing,
      (ended) => this.#remove(ended),
    );
    const same = this.#waiting.get(hash);
    if (same === undefined) this.#waiting.set(hash, new Set([inclusion]));
    else same.add(inclusion);
    await this.#follow();
    return inclusion;
  }

  #remove(inclusion: Inclusion): void {
    const { hash } = inclusion;
    const same = this.#waiting.get(hash);
    if (same?.delete(inclusion) !== true) return;
    if (same.size === 0) this.#waiting.delete(hash);
    if (this.#waiting.size === 0) this.#leave();
  }

  /** Leaves the feed. If the feed is still being joined, `#join` leaves the feed after joining it. */
  #leave(): void {
    const joined = this.#joined;
    if (joined?.leave === undefined) return;
    this.#joined = undefined;
    this.#blocks.length = 0;
    joined.leave();
    joined.scope.abort();
  }

  /** Joins the feed if it is not joined yet. Never rejects. */
  #follow(): Promise<void> {
    if (this.isFollowing) return Promise.resolve();
    this.#joining ??= this.#join().finally(() => {
      this.#joining = undefined;
    });
    return this.#joining;
  }

  async #join(): Promise<void> {
    const { feed } = this.#source;
    if (feed === undefined) return;
    const joined: Joined = { scope: new RequestScope(Number.POSITIVE_INFINITY) };
    this.#joined = joined;
    try {
      const onStep = (step: FeedStep): void => this.#take(step);
      const onEnd = (): void => this.#lose(joined);
      joined.leave = await feed.join({ kind: 'head' }, { onStep, onEnd }, joined.scope);
      if (this.#waiting.size === 0) this.#leave();
    } catch {
      // Without the feed, each waiting call repeats its look-up by itself.
      this.#lose(joined);
    }
  }

  #lose(joined: Joined): void {
    if (this.#joined !== joined) return;
    this.#joined = undefined;
    joined.scope.abort();
    this.#wakeAll();
  }

  #take({ kind, block }: FeedStep): void {
    if (kind === 'removed') return;
    this.#blocks.push(block.hash);
    if (this.#blocks.length > MAX_BLOCKS) {
      this.#blocks.length = 0;
      this.#wakeAll();
    } else if (!this.#isLooking) void this.#look();
  }

  /** Checks queued blocks one after the other. Never rejects. */
  async #look(): Promise<void> {
    this.#isLooking = true;
    const lists = BlockTransactions.of(this.#source.chain);
    for (let hash = this.#blocks.shift(); hash !== undefined; hash = this.#blocks.shift()) {
      const hashes = await lists.read(hash).catch(() => null);
      // If the transactions of a block cannot be read, the block may include any watched transaction.
      if (hashes === null) this.#wakeAll();
      else for (const [waiting, same] of this.#waiting) if (hashes.has(waiting)) wake(same);
    }
    this.#isLooking = false;
  }

  #wakeAll(): void {
    for (const same of this.#waiting.values()) wake(same);
  }
}

function wake(inclusions: Iterable<Inclusion>): void {
  for (const inclusion of inclusions) inclusion.see();
}
