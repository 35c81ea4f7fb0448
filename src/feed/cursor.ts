import type { PromiseOrValue } from '../../packages/ethereum/primitives/promise-or-value.ts';
import type { BlockLog, BlockPlace } from '../chain/chain.ts';
import { ChainError } from '../chain/errors.ts';
import { Backoff } from '../util/backoff.ts';
import type { Clock } from '../util/clock.ts';
import type { SlotScheduler } from '../util/slot-scheduler.ts';
import type { BlockLogs } from './block-logs.ts';
import { CriteriaIndex } from './criteria-index.ts';
import { FeedError, type FeedStep } from './feed.ts';
import type { FeedChain } from './followed-chain.ts';
import type { FeedLimits } from './limits.ts';
import type { Member, MemberHolder } from './member.ts';
import type { Pulse } from './pulse.ts';
import { takeBackLogs } from './removed-logs.ts';
import type { StepFinder } from './step-finder.ts';
import { findPlaceBehind, isSamePlace } from './steps.ts';

/** If a removed block or its logs cannot be read in this many attempts, the block counts as lost. */
const MAX_ATTEMPTS_AT_REMOVED = 3;
/** Number of members that are served before the cursor yields to the scheduler. */
const MEMBERS_A_SLICE = 16;
/** Number of blocks after the block of the next step whose logs are prefetched. */
const READ_AHEAD = 4;
const NO_LOGS: readonly BlockLog[] = [];
const NO_STEPS: readonly FeedStep[] = [];
/** Result of `#waitFor` for work that is no longer needed. */
const ABANDONED: unique symbol = Symbol('given up');
/** Result of `#advance` after which `run` ends. */
const OVER: unique symbol = Symbol('over');

/** Step with all logs of its block; `logs` is empty if the cursor does not deliver logs. */
type Prepared = { readonly step: FeedStep; readonly logs: readonly BlockLog[] };

/** Idle state of the cursor. The cursor waits for the promise `until` or, if `until` is undefined, for a change of the chain. */
type Rest = { readonly until: Promise<unknown> | undefined };

const IDLE: Rest = { until: undefined };

/** Shared parts of all cursors of a feed. */
export type CursorParts = {
  readonly chain: FeedChain;
  readonly steps: StepFinder;
  readonly logs: BlockLogs;
  readonly clock: Clock;
  readonly limits: FeedLimits;
  readonly slots: Pick<SlotScheduler, 'run'>;
  /** Event that fires when the tip of the followed chain or the position of a permanent cursor has changed. */
  readonly moved: Pulse;
};

export type CursorOptions = {
  readonly place: BlockPlace;
  /** True if members also receive logs, so that a step waits for the logs of its block. */
  readonly hasLogs: boolean;
  /** Owner of the scheduler slots in which members are served. */
  readonly owner: string;
  /** Hashes of ancestors of the start position. While the tip of the followed chain is one of these blocks, there are no steps to serve. */
  readonly below?: readonly string[];
  /** Cursor to which members move after they have caught up; absent for a permanent cursor. */
  readonly into?: Cursor;
  /** Runs the reads of this cursor in slots of its owner; absent if reads need no slot. */
  readonly read?: <T>(work: () => PromiseOrValue<T>) => PromiseOrValue<T>;
};

/**
 * Position on the chain, and the members (listeners) that have received all steps up to this position. A cursor moves step by step towards the tip of
 * the followed chain, and every member receives a step before the position changes. A failed read of a block or its logs is repeated until it
 * succeeds, or until a reorg has made the step obsolete.
 */
export class Cursor implements MemberHolder {
  readonly #parts: CursorParts;
  readonly #options: CursorOptions;
  readonly #members = new Set<Member>();
  readonly #criteria = new CriteriaIndex();
  readonly #backoff: Backoff;
  #place: BlockPlace;
  #below: readonly string[];
  #isClosed = false;
  /** Next steps from the cursor's position towards the tip, found in advance and in order. */
  #found: readonly FeedStep[] = NO_STEPS;
  /** Number of failed attempts to read a removed block. */
  #attempts = 0;
  /** The first found step, with its logs. */
  #prepared: Prepared | undefined;
  /** True once `waitUntilReady` of all members was called for the next step. */
  #isReady = false;
  #isSweeping = false;

  constructor(parts: CursorParts, options: CursorOptions) {
    this.#parts = parts;
    this.#options = options;
    this.#place = options.place;
    this.#below = options.below ?? [];
    const { retryFirstMs, retryMaxMs } = parts.limits;
    this.#backoff = new Backoff({ firstMs: retryFirstMs, maxMs: retryMaxMs });
  }

  get place(): BlockPlace {
    return this.#place;
  }

  get size(): number {
    return this.#members.size;
  }

  /** Returns whether the cursor is closed or has no members. If so, the queue gives the slot for which the cursor waits to the next waiter. */
  get aborted(): boolean {
    return this.#isClosed || this.#members.size === 0;
  }

  /**
   * Adds a member that has received all steps up to the cursor's position. If the cursor is serving its members a step, the new member receives that
   * step too.
   */
  add(member: Member): void {
    if (member.criteria !== undefined) member.group = this.#criteria.use(member.criteria);
    member.holder = this;
    this.#members.add(member);
  }

  remove(member: Member): void {
    if (!this.#members.delete(member)) return;
    if (member.group !== undefined) this.#criteria.release(member.group);
    member.group = undefined;
    this.#sweepLater();
  }

  /** Sweeps the index of a permanent cursor. The index of a temporary cursor is discarded with the cursor. */
  #sweepLater(): void {
    const { into, owner } = this.#options;
    if (into !== undefined || this.#isSweeping || !this.#criteria.isStale) return;
    this.#isSweeping = true;
    // Several members may leave in one turn of the event loop, for example when a connection closes. One sweep after that turn handles all of them.
    setImmediate(async () => {
      await this.#parts.slots.run(owner, this.#criteria.sweep());
      this.#isSweeping = false;
      this.#sweepLater();
    });
  }

  endAll(reason: FeedError): void {
    for (const member of [...this.#members]) member.end(reason);
  }

  /** Ends all members, and ends `run`. */
  close(reason: FeedError): void {
    this.#isClosed = true;
    this.endAll(reason);
    this.#parts.moved.fire();
  }

  /** Serves steps until the cursor is closed. A temporary cursor serves steps until its members have moved to `into`. */
  async run(): Promise<void> {
    while (!this.#isClosed) {
      // The loop obtains the promise for the next change before it checks for steps. A change during the check thus resolves the promise, and is not
      // missed.
      const change = this.#parts.moved.wait();
      const advanced = this.#parts.slots.run(this.#options.owner, this.#advance());
      const rest = advanced instanceof Promise ? await advanced : advanced;
      if (rest === OVER) return;
      await (rest.until ?? change);
    }
  }

  /** Serves steps as far as possible without waiting. Each slice serves a step or a part of a step. */
  *#advance(): Generator<undefined, Rest | typeof OVER> {
    while (!this.#isClosed) {
      if (this.#goOver()) return OVER;
      this.#skip();
      this.#endWhereTooFar();
      if (this.#members.size === 0 || this.#isWaiting()) return IDLE;
      const rest = this.#prepareStep();
      if (rest !== undefined) return rest;
      if (this.#prepared !== undefined) yield* this.#serve(this.#prepared);
      yield;
    }
    return OVER;
  }

  #endWhereTooFar(): void {
    const { chain, limits } = this.#parts;
    const { tip } = chain;
    if (tip === undefined || tip.number - this.#place.number <= BigInt(2 * limits.maxBlocks)) return;
    this.endAll(new FeedError('tooFar', 'too many blocks are missing'));
  }

  /**
   * Moves members to the cursor `into` once both cursors have the same position.
   * @returns true if all members have moved or left, so that the cursor is no longer needed and `run` ends
   */
  #goOver(): boolean {
    const { into } = this.#options;
    if (into === undefined) return false;
    if (this.#members.size > 0 && !isSamePlace(into.place, this.#place)) return false;
    for (const member of [...this.#members]) {
      this.remove(member);
      into.add(member);
    }
    return true;
  }

  /** Sets the position of a cursor without members to the tip. */
  #skip(): void {
    const { tip } = this.#parts.chain;
    if (this.#members.size > 0 || tip === undefined || isSamePlace(tip, this.#place)) return;
    this.#forget();
    this.#setPlace({ number: tip.number, hash: tip.hash });
  }

  /** Returns whether the tip of the followed chain is still below the position where the cursor started. */
  #isWaiting(): boolean {
    const { tip } = this.#parts.chain;
    if (tip !== undefined && !this.#below.includes(tip.hash)) this.#below = [];
    return this.#below.length > 0;
  }

  /** Finds the next step and reads its data. @returns an idle state if the cursor has to wait; undefined if it has made progress */
  #prepareStep(): Rest | undefined {
    const [step] = this.#found;
    try {
      if (step === undefined) return this.#findSteps();
      if (this.#isOver(step)) {
        this.#forget();
        return undefined;
      }
      return this.#prepared === undefined ? this.#prepare(step) : undefined;
    } catch (error) {
      return { until: this.#recover(error, step) };
    }
  }

  #findSteps(): Rest | undefined {
    const found = this.#read(() => this.#parts.steps.findNext(this.#place));
    const take = (steps: readonly FeedStep[]): void => {
      this.#found = steps;
    };
    if (found instanceof Promise) {
      return { until: found.then(take, (error: unknown) => this.#recover(error, undefined)) };
    }
    take(found);
    return found.length === 0 ? IDLE : undefined;
  }

  /** Reads the data of a step. @throws ChainError, FeedError */
  #prepare(step: FeedStep): Rest | undefined {
    const pause = this.#isReady ? undefined : this.#findPause();
    this.#isReady = true;
    if (pause !== undefined) return this.#rest(pause, step, () => {});
    if (!this.#options.hasLogs) {
      this.#prepared = { step, logs: NO_LOGS };
      return undefined;
    }
    const logs = this.#read(() => this.#readLogs(step));
    if (logs instanceof Promise) return this.#rest(logs, step, (read) => this.#take(step, read));
    this.#take(step, logs);
    return undefined;
  }

  /** Returns a promise that resolves when all members of a temporary cursor are ready for the next step; undefined if no member has to wait. */
  #findPause(): Promise<unknown> | undefined {
    if (this.#options.into === undefined) return undefined;
    const pauses = [...this.#members].map((member) => member.waitUntilReady());
    return pauses.every((pause) => pause === undefined) ? undefined : Promise.all(pauses);
  }

  #take(step: FeedStep, logs: readonly BlockLog[] | null): void {
    if (logs !== null) this.#prepared = { step, logs: step.kind === 'added' ? logs : takeBackLogs(logs) };
    else if (step.kind === 'removed')
      throw new FeedError('unknownBlock', 'logs of a removed block are no longer available');
    else throw new ChainError('unavailable', 'no node has the logs of a block of the served chain');
  }

  /** Waits for data of a step, or until a reorg has made the step obsolete. */
  #rest<T>(work: Promise<T>, step: FeedStep, use: (value: T) => void): Rest {
    const wait = async (): Promise<void> => {
      try {
        const value = await this.#waitFor(work, () => this.#isOver(step));
        if (value !== ABANDONED) use(value);
      } catch (error) {
        await this.#recover(error, step);
      }
    };
    return { until: wait() };
  }

  /** Returns whether the step is obsolete. A step is obsolete if the cursor is closed or has no members, or if a reorg has made the step wrong. */
  #isOver(step: FeedStep): boolean {
    return this.aborted || this.#parts.steps.contradicts(this.#place, step);
  }

  #forget(): void {
    this.#found = NO_STEPS;
    this.#prepared = undefined;
    this.#isReady = false;
  }

  #readLogs(step: FeedStep): PromiseOrValue<readonly BlockLog[] | null> {
    const { chain, logs, limits } = this.#parts;
    const recent = (chain.tip?.number ?? 0n) - BigInt(limits.windowBlocks);
    for (let ahead = 1; ahead <= READ_AHEAD; ahead++) {
      const block =
        this.#found[ahead]?.block ?? (step.kind === 'added' && chain.at(step.block.number + BigInt(ahead)));
      if (block) logs.prefetch(block.hash, block.number >= recent);
    }
    const isRecent = step.block.number >= recent;
    return step.kind === 'added'
      ? logs.read(step.block.hash, isRecent)
      : logs.readRemoved(step.block.hash, isRecent);
  }

  /**
   * Serves members in slices, including members that are added in the meantime. The cursor's position changes after all members have received the
   * step.
   */
  *#serve({ step, logs }: Prepared): Generator<undefined, void> {
    yield* this.#criteria.evaluate(logs);
    let served = 0;
    for (const member of this.#members) {
      if (served++ % MEMBERS_A_SLICE === 0) yield;
      member.hear(step);
    }
    this.#criteria.clear();
    const following = this.#found.slice(1);
    this.#forget();
    this.#found = following;
    this.#setPlace(findPlaceBehind(step));
    this.#attempts = 0;
    this.#backoff.reset();
  }

  async #recover(error: unknown, step: FeedStep | undefined): Promise<void> {
    if (error instanceof FeedError && ++this.#attempts >= MAX_ATTEMPTS_AT_REMOVED) {
      this.endAll(error);
      return;
    }
    let cancel = (): void => {};
    const pause = new Promise<void>((resolve) => {
      cancel = this.#parts.clock.schedule(resolve, this.#backoff.next());
    });
    await this.#waitFor(pause, () => (step === undefined ? this.aborted : this.#isOver(step)));
    cancel();
  }

  /** Waits for `work`, or until `isOver` returns true. `isOver` is called immediately and after each change of the chain. */
  async #waitFor<T>(work: Promise<T>, isOver: () => boolean): Promise<T | typeof ABANDONED> {
    if (isOver()) {
      work.catch(() => {});
      return ABANDONED;
    }
    return new Promise((resolve, reject) => {
      const end = this.#parts.moved.listen(() => {
        if (!isOver()) return;
        end();
        resolve(ABANDONED);
      });
      work.then(resolve, reject).finally(end);
    });
  }

  #read<T>(work: () => PromiseOrValue<T>): PromiseOrValue<T> {
    const { read } = this.#options;
    return read === undefined ? work() : read(work);
  }

  #setPlace(place: BlockPlace): void {
    this.#place = place;
    if (this.#options.into === undefined) this.#parts.moved.fire();
  }
}
