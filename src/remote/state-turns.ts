import { ChainError } from '../chain/errors.ts';
import { limitOf } from '../util/bounds.ts';
import { FairQueue } from '../util/fair-queue.ts';
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

/** Turns of owners at having nodes prove state for calls. */
export class StateTurns {
  readonly #queue: FairQueue;

  /** @param now a monotonic clock in milliseconds */
  constructor(now: () => number = () => performance.now()) {
    this.#queue = new FairQueue(
      { running: RUNNING, ownerShare: OWNER_SHARE, waiting: WAITING, waitMs: WAIT_MS },
      now,
    );
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
