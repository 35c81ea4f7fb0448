import type { PromiseOrValue } from '../../packages/ethereum/primitives/promise-or-value.ts';
import { ChainError } from '../chain/errors.ts';
import { limitOf } from '../util/bounds.ts';
import { FairQueue } from '../util/fair-queue.ts';

/** Maximum wait for a slot, ms; equal to the timeout of a read. If no slot becomes free in this time, the read fails, and the listener repeats it. */
const WAIT_MS = 10_000;
const MAX_WAITING = limitOf('subscriptions.catchUp');
/** Maximum share of the concurrent reads that one owner may use. */
const OWNER_SHARE = 0.5;

/**
 * Scheduler slots, by owner, for the reads of listeners that catch up. Listeners at the head use no slots, so they never wait for listeners that
 * catch up.
 */
export class CatchUpSlots {
  readonly #queue: FairQueue;

  constructor(running: number) {
    this.#queue = new FairQueue({ running, ownerShare: OWNER_SHARE, waiting: MAX_WAITING, waitMs: WAIT_MS });
  }

  /**
   * Runs `read` in a slot of the owner. A synchronous result is returned synchronously.
   * @throws ChainError `busy` if the wait is too long, and the errors of `read`
   */
  run<T>(
    owner: string,
    waiter: { readonly aborted: boolean },
    read: () => PromiseOrValue<T>,
  ): PromiseOrValue<T> {
    if (!this.#queue.hasRoom(owner)) return this.#wait(owner, waiter, read);
    this.#queue.take(owner);
    return this.#read(owner, read);
  }

  async #wait<T>(
    owner: string,
    waiter: { readonly aborted: boolean },
    read: () => PromiseOrValue<T>,
  ): Promise<T> {
    if ((await this.#queue.wait(owner, waiter)) === false)
      throw new ChainError('busy', 'subscriptions.catchUp');
    return this.#read(owner, read);
  }

  /** Runs `read` in a slot, and frees the slot afterwards. */
  #read<T>(owner: string, read: () => PromiseOrValue<T>): PromiseOrValue<T> {
    let value: PromiseOrValue<T> | undefined;
    try {
      value = read();
      return value instanceof Promise ? value.finally(() => this.#queue.leave(owner)) : value;
    } finally {
      if (!(value instanceof Promise)) this.#queue.leave(owner);
    }
  }
}
