import type { PromiseOrValue } from '../primitives/promise-or-value.ts';
import type { FairQueue } from '../util/fair-queue.ts';

/**
 * Turns on a network that a batch has taken for items that it has not begun. If it took them one by one, other batches of the key would take
 * them while it pauses between two items, and each item would be sent to a node in a request of its own.
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

  /** Takes what is missing of so many turns. @returns whether there was room for it */
  reserve(count: number): boolean {
    const missing = count - this.#left;
    if (missing <= 0) return true;
    if (!this.#turns.hasRoom(this.#owner, missing)) return false;
    this.#turns.take(this.#owner, missing);
    this.#left = count;
    return true;
  }

  /** Hands one turn to an item, which ends it. */
  handOn(): void {
    this.#left--;
  }

  /** Ends the turns that are left. */
  release(): void {
    if (this.#left === 0) return;
    const left = this.#left;
    this.#left = 0;
    this.#turns.leave(this.#owner, left);
  }

  /** Does `work`, then ends the turns that are left. */
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
