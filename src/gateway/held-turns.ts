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
  /** Whether all items have been begun, and whether all have ended. */
  #isBegun = false;
  #isOver = false;

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

  /** Hands turns to items, which end them, or to calls that are made together, which give them back. */
  handOn(count = 1): void {
    this.#left -= count;
  }

  /** Takes turns back. @param needed how many of the calls are to be made by themselves, each in one of these turns */
  takeBack(count: number, needed: number): void {
    this.#left += count;
    if (this.#isOver) this.#endDownTo(0);
    else if (this.#isBegun) this.#endDownTo(needed);
  }

  /** All items have been begun: ends the turns that are left. */
  release(): void {
    this.#isBegun = true;
    this.#endDownTo(0);
  }

  /** Does `work`, then ends the turns that are left. */
  during<T>(work: () => PromiseOrValue<T>): PromiseOrValue<T> {
    let outcome: PromiseOrValue<T>;
    try {
      outcome = work();
    } catch (error) {
      this.#end();
      throw error;
    }
    if (outcome instanceof Promise) return outcome.finally(() => this.#end());
    this.#end();
    return outcome;
  }

  #end(): void {
    this.#isOver = true;
    this.#endDownTo(0);
  }

  #endDownTo(kept: number): void {
    const ended = this.#left - kept;
    if (ended <= 0) return;
    this.#left = kept;
    this.#turns.leave(this.#owner, ended);
  }
}
