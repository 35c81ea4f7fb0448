import { type OwnerShare, SharedBudget } from '../../util/shared-budget.ts';

/** Bytes that every execution on a thread may take without asking: what nearly all calls need. */
const FREE_BYTES: number = 4 << 20;
/** What is beyond that is taken in steps of so many bytes. */
const STEP_BYTES: number = 1 << 20;
/** What executions of all threads may take beyond what is free, bytes. */
const LARGE_BYTES: number = 96 << 20;

const UNUSED = 0;

/** Which thread has the execution that is exempt; the threads of a process share it. */
export type ExemptionFlag = Int32Array;

export function createExemptionFlag(): ExemptionFlag {
  return new Int32Array(new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT));
}

/** To be called when a thread has broken down. @param thread its number */
export function clearExemption(flag: ExemptionFlag, thread: number): void {
  Atomics.compareExchange(flag, 0, thread, UNUSED);
}

export type ExecutionMemoryOptions = {
  /** How many threads share the bytes, and the number of this one, from 1. */
  readonly threads: number;
  readonly thread: number;
  readonly ownerShare: OwnerShare;
  readonly exemption: ExemptionFlag;
};

/**
 * What the executions of a thread take of the process's memory while they run. Those that need much wait for one another, but
 * for one execution in the process, which is exempt: so each of them gets all that one execution may have, sooner or later.
 */
export class ExecutionMemory {
  readonly #budget: SharedBudget;
  readonly #exemption: ExemptionFlag;
  readonly #thread: number;
  #exempt: MemoryLease | undefined;

  constructor({ threads, thread, ownerShare, exemption }: ExecutionMemoryOptions) {
    this.#budget = new SharedBudget(LARGE_BYTES / threads, ownerShare);
    this.#exemption = exemption;
    this.#thread = thread;
  }

  lease(owner: string): MemoryLease {
    const lease: MemoryLease = new MemoryLease(this.#budget, owner, {
      take: () => {
        if (this.#exempt !== undefined) return this.#exempt === lease;
        if (Atomics.compareExchange(this.#exemption, 0, UNUSED, this.#thread) !== UNUSED) return false;
        this.#exempt = lease;
        return true;
      },
      giveBack: () => {
        if (this.#exempt !== lease) return;
        this.#exempt = undefined;
        clearExemption(this.#exemption, this.#thread);
      },
    });
    return lease;
  }
}

type Exemption = { take(): boolean; giveBack(): void };

/** The memory of one execution. */
export class MemoryLease {
  readonly #budget: SharedBudget;
  readonly #owner: string;
  readonly #exemption: Exemption;
  #held = 0;

  constructor(budget: SharedBudget, owner: string, exemption: Exemption) {
    this.#budget = budget;
    this.#owner = owner;
    this.#exemption = exemption;
  }

  /** @returns whether the execution, which takes so many bytes by now, may go on */
  reach(bytes: number): boolean {
    const missing = bytes - FREE_BYTES - this.#held;
    if (missing <= 0) return true;
    const amount = Math.ceil(missing / STEP_BYTES) * STEP_BYTES;
    if (this.#budget.tryTake(this.#owner, amount)) {
      this.#held += amount;
      return true;
    }
    return this.#exemption.take();
  }

  /** Nothing of the execution is left. */
  end(): void {
    this.#budget.giveBack(this.#owner, this.#held);
    this.#held = 0;
    this.#exemption.giveBack();
  }
}
