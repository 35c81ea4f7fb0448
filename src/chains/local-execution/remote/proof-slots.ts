import { ChainError } from '../../../chain/errors.ts';
import { limitOf } from '../../../util/bounds.ts';
import { FairQueue } from '../../../util/fair-queue.ts';
import type { RequestScope } from '../../../util/request-scope.ts';
import { SCHEDULER } from '../../../util/slot-scheduler.ts';

/** Number of concurrent slots. One owner can use half of them, and two owners a third each, so that another owner's call finds a slot at once. */
const RUNNING = 8;
const OWNER_SHARE = 0.5;
const WAITING = limitOf('state.turns');
/** Maximum wait for a slot, milliseconds. */
const WAIT_MS = 5_000;
/** Estimated event loop time for the requests and answers of one slot, milliseconds. */
const TURN_COST_MS = 1;

/** Queue that limits concurrent groups of proof requests for calls, in total and per owner. */
export class ProofSlots {
  readonly #queue: FairQueue;

  /** @param now monotonic clock in milliseconds */
  constructor(now: () => number = () => performance.now()) {
    this.#queue = new FairQueue(
      { running: RUNNING, ownerShare: OWNER_SHARE, waiting: WAITING, waitMs: WAIT_MS },
      now,
    );
  }

  /**
   * Runs requests in one of the `RUNNING` slots, which counts for the owner.
   * @param isOfMany whether the call needs several slots; other work of the event loop then runs before each of them
   * @throws the error of `ask`; ChainError `busy` if the wait is too long, `aborted` when the caller disconnects
   */
  async run<T>(scope: RequestScope, isOfMany: boolean, ask: () => Promise<T>): Promise<T> {
    const owner = scope.owner ?? '';
    const queue = this.#queue;
    if (queue.hasRoom(owner)) queue.take(owner);
    else if (!(await queue.wait(owner, scope))) {
      if (scope.aborted) throw new ChainError('aborted', 'the caller has cancelled the request');
      throw new ChainError('busy', 'state.turns');
    }
    try {
      if (isOfMany) await SCHEDULER.pause(owner, TURN_COST_MS);
      return await ask();
    } finally {
      queue.leave(owner);
    }
  }
}
