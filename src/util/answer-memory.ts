import type { RequestScope } from './request-scope.ts';
import { SharedBudget } from './shared-budget.ts';

/** Granularity of reservations from the budget, bytes. The first 16 KiB of an answer are not taken from the budget, because most batches need no more. */
const STEP_BYTES = 16 * 1024;

/** Budget for requests that have no bound, such as the service's own requests. */
const UNBOUNDED = new SharedBudget(Number.POSITIVE_INFINITY, 1);

/** Memory of one answer while the answer is assembled. The memory is taken from a budget that all answers share. */
export class AnswerMemory {
  readonly #budget: SharedBudget;
  readonly #owner: string;
  #reserved = 0;
  #taken = 0;
  #isReleased = false;

  constructor(budget: SharedBudget, owner: string) {
    this.#budget = budget;
    this.#owner = owner;
  }

  /** Creates the memory of an answer for the request of this scope. */
  static of({ answers = UNBOUNDED, owner = '' }: RequestScope): AnswerMemory {
    return new AnswerMemory(answers, owner);
  }

  /** Number of bytes that are taken from the budget. */
  get taken(): number {
    return this.#taken;
  }

  /**
   * Reserves `bytes` more bytes.
   * @returns whether the budget had room for `bytes`; always false after `release`
   */
  hold(bytes: number): boolean {
    if (this.#isReleased) return false;
    const missing = this.#reserved + bytes - STEP_BYTES - this.#taken;
    if (missing > 0) {
      const amount = Math.ceil(missing / STEP_BYTES) * STEP_BYTES;
      if (!this.#budget.tryTake(this.#owner, amount)) return false;
      this.#taken += amount;
    }
    this.#reserved += bytes;
    return true;
  }

  /** Releases bytes that `hold` reserved. */
  drop(bytes: number): void {
    if (this.#isReleased) return;
    this.#reserved -= bytes;
    const unused = this.#taken - Math.max(0, this.#reserved - STEP_BYTES);
    const amount = unused - (unused % STEP_BYTES);
    this.#budget.giveBack(this.#owner, amount);
    this.#taken -= amount;
  }

  /** Returns all taken bytes to the budget. After `release`, `hold` always returns false. */
  release(): void {
    this.#isReleased = true;
    this.#budget.giveBack(this.#owner, this.#taken);
    this.#taken = 0;
  }
}
