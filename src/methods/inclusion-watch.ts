import type { FeedStep } from '../feed/feed.ts';
import { limitOf } from '../util/bounds.ts';
import { type Clock, systemClock } from '../util/clock.ts';
import { RequestScope } from '../util/request-scope.ts';
import { SharedBudget } from '../util/shared-budget.ts';
import { BlockTransactions } from './block-transactions.ts';
import type { Network } from './network.ts';

/** The part of all waiting calls that one key may have. */
const OWNER_SHARE = 0.5;
/** Between two look-ups where no block tells when to look: the feed cannot be followed, or a receipt is late. Milliseconds. */
const LOOK_AGAIN_MS = 1_000;
/** Blocks that wait to be looked through; beyond them every waiting call looks for itself. */
const MAX_BLOCKS = 32;

type Source = Pick<Network, 'chain' | 'feed'>;

/** A place in the feed; without `leave` as long as it is being joined. */
type Joined = { readonly scope: RequestScope; leave?: () => void };

/** One transaction that a call waits for. */
export class Inclusion {
  readonly hash: string;
  readonly #clock: Clock;
  readonly #onEnd: (inclusion: Inclusion) => void;
  readonly #isFollowed: () => boolean;
  /** Whether a block has it, or may have it. */
  #isSeen = false;
  /** Whether it has not been looked for since. */
  #isDue = false;
  #wake: (() => void) | undefined;

  constructor(hash: string, clock: Clock, isFollowed: () => boolean, onEnd: (inclusion: Inclusion) => void) {
    this.hash = hash;
    this.#clock = clock;
    this.#isFollowed = isFollowed;
    this.#onEnd = onEnd;
  }

  /** A block may have it: wakes the call. */
  see(): void {
    this.#isSeen = true;
    this.#isDue = true;
    this.#wake?.();
  }

  /**
   * Waits until it is worth to look for the receipt.
   * @param endMs how long at most
   * @returns whether that was before the end
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

  /** Nobody waits any more. */
  end(): void {
    this.#onEnd(this);
  }
}

/**
 * Tells calls that wait for their transactions when a new block has one of them. The feed of the network is followed while calls wait; the
 * list of each block is read once for all of them. Where the feed cannot be followed calls look once a second.
 */
export class InclusionWatch {
  static readonly #ofChains = new WeakMap<Network['chain'], InclusionWatch>();
  /** Of calls that wait: each holds a body, and nothing else. */
  readonly places: SharedBudget = new SharedBudget(limitOf('sends.waiting'), OWNER_SHARE);
  readonly #source: Source;
  readonly #clock: Clock;
  readonly #waiting = new Map<string, Set<Inclusion>>();
  readonly #blocks: string[] = [];
  #isLooking = false;
  /** Is set while the feed is followed, or is being joined. */
  #joined: Joined | undefined;
  #joining: Promise<void> | undefined;

  constructor(source: Source, clock: Clock = systemClock) {
    this.#source = source;
    this.#clock = clock;
  }

  /** The watch of a network's chain. */
  static of(network: Source): InclusionWatch {
    const { chain } = network;
    const known = InclusionWatch.#ofChains.get(chain);
    if (known !== undefined) return known;
    const created = new InclusionWatch(network);
    InclusionWatch.#ofChains.set(chain, created);
    return created;
  }

  /** Transactions that are waited for. */
  get size(): number {
    return this.#waiting.size;
  }

  /** Whether blocks are followed for those that wait. */
  get isFollowing(): boolean {
    return this.#joined?.leave !== undefined;
  }

  /**
   * Begins to watch for a transaction; what was included before has to be looked up after that. Resolves when blocks are followed, or
   * cannot be. `end` of the outcome has to be called.
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

  /** Stops following, unless that has only begun. */
  #leave(): void {
    const joined = this.#joined;
    if (joined?.leave === undefined) return;
    this.#joined = undefined;
    this.#blocks.length = 0;
    joined.leave();
    joined.scope.abort();
  }

  /** Joins the feed, where that has not been done. Never rejects. */
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
      // Calls look for themselves as long as there is no feed.
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

  /** Looks through blocks, one after the other. Never rejects. */
  async #look(): Promise<void> {
    this.#isLooking = true;
    const lists = BlockTransactions.of(this.#source.chain);
    for (let hash = this.#blocks.shift(); hash !== undefined; hash = this.#blocks.shift()) {
      const hashes = await lists.read(hash).catch(() => null);
      // A block that cannot be read may have any of them.
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
