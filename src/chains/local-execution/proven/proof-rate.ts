import { setTimeout as sleep } from 'node:timers/promises';
import { ChainError, createTimeout } from '../../../chain/errors.ts';
import { limitOf } from '../../../util/bounds.ts';
import { Lru } from '../../../util/lru.ts';
import type { RequestScope } from '../../../util/request-scope.ts';

/**
 * Maximum sustained rate per owner, keys per second. A proof takes about 0.3 ms of the event loop, and some more time at a node. At this rate, the
 * proofs of one owner take a tenth of the time of the gateway and of a node.
 */
const KEYS_PER_SECOND: number = limitOf('state.keys');
const BURST_KEYS = 2 * KEYS_PER_SECOND;
const SECOND_MS = 1_000;
/**
 * Maximum number of owners with a record, and lifetime of a record after the owner's last request, milliseconds. A record lives long enough that the
 * owner's full burst is available again before the record expires.
 */
const MAX_OWNERS = 4_096;
const OWNER_MS = 60_000;

/**
 * Rate limit per owner for the accounts and slots whose proofs are requested from the nodes of a network. All methods count against the same limit.
 */
export class ProofRate {
  readonly #now: () => number;
  /**
   * Time on the clock of `now` at which all keys that an owner has requested are allowed: the theoretical arrival time of the generic cell rate
   * algorithm.
   */
  readonly #due: Lru<string, number>;

  /** @param now monotonic clock in milliseconds */
  constructor(now: () => number = () => performance.now()) {
    this.#now = now;
    this.#due = new Lru(MAX_OWNERS, OWNER_MS, now);
  }

  /**
   * Counts keys against the owner's rate, and waits until they are due. Requests without an owner, which the gateway sends by itself, have no rate
   * limit.
   * @throws ChainError `timeout` if the deadline has passed, `busy` at once if the keys are not due before the deadline, `aborted` when the caller disconnects
   */
  async take(scope: RequestScope, keys: number): Promise<void> {
    const { owner } = scope;
    if (owner === undefined) return;
    const now = this.#now();
    const toMs = SECOND_MS / KEYS_PER_SECOND;
    const due = Math.max(this.#due.get(owner) ?? 0, now - BURST_KEYS * toMs) + keys * toMs;
    const waitMs = due - now;
    const leftMs = scope.deadline - performance.now();
    // Without time left, even keys that are due could not be used. The rate is then not the reason of the failure.
    if (leftMs <= 0) throw createTimeout(scope.limitMs);
    if (waitMs > leftMs) throw new ChainError('busy', 'state.keys');
    this.#due.set(owner, due);
    if (waitMs <= 0) return;
    await sleep(waitMs);
    if (scope.aborted) throw new ChainError('aborted', 'the caller has cancelled the request');
  }
}
