import type { RequestScope } from './request-scope.ts';
import { SharedBudget } from './shared-budget.ts';

/** An amount at a time is taken from the budget, bytes. Less than one is not counted: most batches need no more. */
const STEP_BYTES = 16 * 1024;

/** Of requests without a bound, such as those that the service makes itself. */
const UNBOUNDED = new SharedBudget(Number.POSITIVE_INFINITY, 1);

/** What one answer holds while it is put together, as a part of a budget that all answers share. */
export class AnswerMemory {
  readonly #budget: SharedBudget;
  readonly #owner: string;
  #held = 0;
  #taken = 0;
  #isReleased = false;

  constructor(budget: SharedBudget, owner: string) {
    this.#budget = budget;
    this.#owner = owner;
  }

  /** For a part of the work on a request. */
  static of({ answers = UNBOUNDED, owner = '' }: RequestScope): AnswerMemory {
    return new AnswerMemory(answers, owner);
  }

  /** Bytes taken from the budget. */
  get taken(): number {
    return this.#taken;
  }

  /** Counts so many bytes more. @returns whether there was room for them; never after `release` */
  hold(bytes: number): boolean {
    if (this.#isReleased) return false;
    const missing = this.#held + bytes - STEP_BYTES - this.#taken;
    if (missing > 0) {
      const amount = Math.ceil(missing / STEP_BYTES) * STEP_BYTES;
      if (!this.#budget.tryTake(this.#owner, amount)) return false;
      this.#taken += amount;
    }
    this.#held += bytes;
    return true;
  }

  /** Gives bytes back that `hold` counted. */
  drop(bytes: number): void {
    if (this.#isReleased) return;
    this.#held -= bytes;
    const unused = this.#taken - Math.max(0, this.#held - STEP_BYTES);
    const amount = unused - (unused % STEP_BYTES);
    this.#budget.giveBack(this.#owner, amount);
    this.#taken -= amount;
  }

  /** Gives back all that was taken; there is no room any more. */
  release(): void {
    this.#isReleased = true;
    this.#budget.giveBack(this.#owner, this.#taken);
    this.#taken = 0;
  }
}
