import { type OwnerShare, SharedBudget } from '../../../util/shared-budget.ts';

/** Bytes that every execution on a thread may use without a reservation; nearly all calls use less. */
const FREE_BYTES: number = 4 << 20;
/** Granularity of reservations beyond `FREE_BYTES`, bytes. */
const STEP_BYTES: number = 1 << 20;
/** Limit on the memory that the executions of all threads reserve in total, without the first `FREE_BYTES` of each, bytes. */
const LARGE_BYTES: number = 96 << 20;

const UNUSED = 0;

/** Number of the thread whose execution may grow without a reservation; 0 if there is none. All threads of a process share this array. */
export type ExemptionFlag = Int32Array;

export function createExemptionFlag(): ExemptionFlag {
  return new Int32Array(new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT));
}

/** Clears the exemption from reservations if the failed thread has it. @param thread number of the thread, from 1 */
export function clearExemption(flag: ExemptionFlag, thread: number): void {
  Atomics.compareExchange(flag, 0, thread, UNUSED);
}

export type ExecutionMemoryOptions = {
  /** Number of threads that share the memory. */
  readonly threads: number;
  readonly thread: number;
  readonly ownerShare: OwnerShare;
  readonly exemption: ExemptionFlag;
};

/**
 * Memory reservations of a thread's executions. A large execution waits until other executions release memory. One execution per process is exempt
 * and never waits, so every execution eventually gets its full memory limit.
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

/** The memory reservation of one execution. */
export class MemoryLease {
  readonly #budget: SharedBudget;
  readonly #owner: string;
  readonly #exemption: Exemption;
  #reserved = 0;

  constructor(budget: SharedBudget, owner: string, exemption: Exemption) {
    this.#budget = budget;
    this.#owner = owner;
    this.#exemption = exemption;
  }

  /**
   * Reserves memory for the growth of the execution.
   * @param bytes memory that the execution uses now
   * @returns whether the execution may continue; if false, it has to wait
   */
  reach(bytes: number): boolean {
    const missing = bytes - FREE_BYTES - this.#reserved;
    if (missing <= 0) return true;
    const amount = Math.ceil(missing / STEP_BYTES) * STEP_BYTES;
    if (this.#budget.tryTake(this.#owner, amount)) {
      this.#reserved += amount;
      return true;
    }
    return this.#exemption.take();
  }

  /** Releases the reservation; call it when the execution has ended. */
  end(): void {
    this.#budget.giveBack(this.#owner, this.#reserved);
    this.#reserved = 0;
    this.#exemption.giveBack();
  }
}
