import { setTimeout as sleep } from 'node:timers/promises';
import { ChainError } from '../chain/errors.ts';
import { limitOf } from '../util/bounds.ts';
import { FairQueue } from '../util/fair-queue.ts';
import { Lru } from '../util/lru.ts';
import type { RequestScope } from '../util/request-scope.ts';
import { TURNS } from '../util/turn-queue.ts';

/** Turns under way at a time. One owner alone has half of them, two have a third each: a call of another one finds room at once. */
const RUNNING = 8;
const OWNER_SHARE = 0.5;
const WAITING = limitOf('state.turns');
/** Of one turn. Milliseconds. */
const WAIT_MS = 5_000;
/** The event loop's time for the questions and answers of one turn, about, milliseconds. */
const TURN_COST_MS = 1;
/** Keys of one owner in a second, after a burst. A proof takes some 0.3 ms of the event loop, and more of a node: this is a tenth of either. */
const KEYS_PER_SECOND: number = limitOf('state.keys');
const BURST_KEYS = 2 * KEYS_PER_SECOND;
const SECOND_MS = 1_000;
/** Owners whose pace is remembered, and for how long after their last turn: longer than a burst takes to be there again. */
const MAX_OWNERS = 4_096;
const OWNER_MS = 60_000;

/** Turns of owners at having nodes prove state for calls, at a bounded pace. */
export class StateTurns {
  readonly #now: () => number;
  readonly #queue: FairQueue;
  /** By owner: when all keys that it has asked for are due, on the clock of `now` (the generic cell rate algorithm's theoretical arrival time). */
  readonly #due: Lru<string, number>;

  /** @param now a monotonic clock in milliseconds */
  constructor(now: () => number = () => performance.now()) {
    this.#now = now;
    this.#queue = new FairQueue(
      { running: RUNNING, ownerShare: OWNER_SHARE, waiting: WAITING, waitMs: WAIT_MS },
      now,
    );
    this.#due = new Lru(MAX_OWNERS, OWNER_MS, now);
  }

  /**
   * Takes keys of the owner's pace, for all turns of a trip together. What the service asks for itself has no owner, and no pace.
   * @throws ChainError `busy` at once where they would not be due before the deadline; `aborted`
   */
  async pace(scope: RequestScope, keys: number): Promise<void> {
    const { owner } = scope;
    if (owner === undefined) return;
    const now = this.#now();
    const toMs = SECOND_MS / KEYS_PER_SECOND;
    const due = Math.max(this.#due.get(owner) ?? 0, now - BURST_KEYS * toMs) + keys * toMs;
    const waitMs = due - now;
    if (waitMs > scope.deadline - performance.now()) throw new ChainError('busy', 'state.keys');
    this.#due.set(owner, due);
    if (waitMs <= 0) return;
    await sleep(waitMs);
    if (scope.aborted) throw new ChainError('aborted', 'the caller has gone');
  }

  /**
   * Asks in a turn of the owner.
   * @param isOfMany whether it is one of several of the same call: these give way to what else the event loop has to do
   * @throws what `ask` throws; ChainError `busy` where it has to wait for too long, `aborted`
   */
  async run<T>(scope: RequestScope, isOfMany: boolean, ask: () => Promise<T>): Promise<T> {
    const owner = scope.owner ?? '';
    const queue = this.#queue;
    if (queue.hasRoom(owner)) queue.take(owner);
    else if (!(await queue.wait(owner, scope))) {
      if (scope.aborted) throw new ChainError('aborted', 'the caller has gone');
      throw new ChainError('busy', 'state.turns');
    }
    try {
      if (isOfMany) await TURNS.pause(owner, TURN_COST_MS);
      return await ask();
    } finally {
      queue.leave(owner);
    }
  }
}
