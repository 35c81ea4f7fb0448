import { setTimeout as sleep } from 'node:timers/promises';
import { ChainError } from '../chain/errors.ts';
import { limitOf } from '../util/bounds.ts';
import { Lru } from '../util/lru.ts';
import type { RequestScope } from '../util/request-scope.ts';

/** Keys of one owner in a second, after a burst. A proof takes some 0.3 ms of the event loop, and more of a node: this is a tenth of either. */
const KEYS_PER_SECOND: number = limitOf('state.keys');
const BURST_KEYS = 2 * KEYS_PER_SECOND;
const SECOND_MS = 1_000;
/** The pace of so many owners is remembered, for so long after each has last asked: a burst is there again earlier. */
const MAX_OWNERS = 4_096;
const OWNER_MS = 60_000;

/** A bounded pace for each owner at having the nodes of a network prove accounts and slots, whatever call it is for. */
export class KeyPace {
  readonly #now: () => number;
  /** By owner: when all keys that it has asked for are due, on the clock of `now` (the generic cell rate algorithm's theoretical arrival time). */
  readonly #due: Lru<string, number>;

  /** @param now a monotonic clock in milliseconds */
  constructor(now: () => number = () => performance.now()) {
    this.#now = now;
    this.#due = new Lru(MAX_OWNERS, OWNER_MS, now);
  }

  /**
   * Takes keys of the owner's pace. What the service asks for itself has no owner, and no pace.
   * @throws ChainError `busy` at once where they would not be due before the deadline; `aborted`
   */
  async take(scope: RequestScope, keys: number): Promise<void> {
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
}
