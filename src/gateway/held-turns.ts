import type { PromiseOrValue } from '../primitives/promise-or-value.ts';
import type { FairQueue } from '../util/fair-queue.ts';

/**
 * Turns on a network that a batch has for items that it has not begun. Where it pauses between two of them, other batches of its key would take
 * what it has waited for, and its items would go on one by one, each in a request of its own.
 */
export class HeldTurns {
  readonly #turns: FairQueue;
  readonly #owner: string;
  #left: number;

  /** @param count turns that the owner has taken */
  constructor(turns: FairQueue, owner: string, count: number) {
    this.#turns = turns;
    this.#owner = owner;
    this.#left = count;
  }

  get isEmpty(): boolean {
    return this.#left === 0;
  }

  /** One of them is an item's from now on, to be ended with it. */
  handOn(): void {
    this.#left--;
  }

  /** Ends those that are left. */
  release(): void {
    if (this.#left === 0) return;
    const left = this.#left;
    this.#left = 0;
    this.#turns.leave(this.#owner, left);
  }

  /** Does `work`, and ends with it those that are left then. */
  during<T>(work: () => PromiseOrValue<T>): PromiseOrValue<T> {
    let outcome: PromiseOrValue<T>;
    try {
      outcome = work();
    } catch (error) {
      this.release();
      throw error;
    }
    if (outcome instanceof Promise) return outcome.finally(() => this.release());
    this.release();
    return outcome;
  }
}
