import { ChainError } from '../chain/errors.ts';
import type { PromiseOrValue } from '../primitives/promise-or-value.ts';
import { limitOf } from '../util/bounds.ts';
import { FairQueue } from '../util/fair-queue.ts';

/** Listeners that catch up wait for no longer than for a read; then they try again. */
const WAIT_MS = 10_000;
const MAX_WAITING = limitOf('subscriptions.catchUp');
/** Of the reads in work, the part that one owner may hold. */
const OWNER_SHARE = 0.5;

/** Turns of owners at the reads of listeners that catch up: those that follow the head are not behind them. */
export class CatchUpTurns {
  readonly #queue: FairQueue;

  constructor(running: number) {
    this.#queue = new FairQueue({ running, ownerShare: OWNER_SHARE, waiting: MAX_WAITING, waitMs: WAIT_MS });
  }

  /**
   * Reads in a turn of the owner; what is there at once is returned at once.
   * @throws ChainError `busy` where it has to wait for too long, and what `read` throws
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

  /** In a turn, which ends with it. */
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
