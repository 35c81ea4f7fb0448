import type { PromiseOrValue } from '../../packages/ethereum/primitives/promise-or-value.ts';
import type { FairQueue } from '../util/fair-queue.ts';

/**
 * Network slots that a batch has reserved for items that have not begun. All slots are taken at once: otherwise, other batches of the key would take
 * slots between the items of a batch, and each item would need its own node request.
 */
export class ReservedSlots {
  readonly #slots: FairQueue;
  readonly #owner: string;
  #left: number;
  /** `#isBegun` is set when all items have begun, and `#isOver` when all items have ended. */
  #isBegun = false;
  #isOver = false;

  /** @param count number of slots that the owner has already taken */
  constructor(slots: FairQueue, owner: string, count: number) {
    this.#slots = slots;
    this.#owner = owner;
    this.#left = count;
  }

  get isEmpty(): boolean {
    return this.#left === 0;
  }

  /**
   * Takes free slots until `count` slots are reserved.
   * @returns whether there were enough free slots
   */
  reserve(count: number): boolean {
    const missing = count - this.#left;
    if (missing <= 0) return true;
    if (!this.#slots.hasRoom(this.#owner, missing)) return false;
    this.#slots.take(this.#owner, missing);
    this.#left = count;
    return true;
  }

  /** Passes reserved slots to items, which release them, or to grouped calls, which return them with `takeBack`. */
  handOn(count = 1): void {
    this.#left -= count;
  }

  /**
   * Takes slots back from grouped calls.
   * @param needed number of calls that must run separately, each in one of the reserved slots
   */
  takeBack(count: number, needed: number): void {
    this.#left += count;
    if (this.#isOver) this.#endDownTo(0);
    else if (this.#isBegun) this.#endDownTo(needed);
  }

  /** Releases the remaining slots; called when all items have begun. */
  release(): void {
    this.#isBegun = true;
    this.#endDownTo(0);
  }

  /**
   * Runs `work`, then releases the remaining slots.
   * @throws errors of `work`, synchronously or by rejection
   */
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

  #endDownTo(cached: number): void {
    const ended = this.#left - cached;
    if (ended <= 0) return;
    this.#left = cached;
    this.#slots.leave(this.#owner, ended);
  }
}
