import type { OwnerShare } from '../../../util/shared-budget.ts';
import { clearExemption, createExemptionFlag } from './execution-memory.ts';
import { ExecutionThread, type ThreadOptions } from './execution-thread.ts';

export type ThreadGroupOptions = {
  /** Maximum number of threads. A further thread starts only when all existing threads have work. */
  readonly threads: number;
  /** Time after which an idle thread is stopped, milliseconds, to return its memory to the system. */
  readonly idleMs: number;
  /** Maximum share of the memory for large executions that one owner may use. */
  readonly ownerShare: OwnerShare;
} & Omit<ThreadOptions, 'memory' | 'onBreakdown' | 'onUse'>;

/** A group of threads that grows and shrinks with the work. */
export class ThreadGroup {
  readonly #options: ThreadGroupOptions;
  readonly #onFault: (fault: string) => void;
  /** All threads. An idle thread has a timer that stops it. */
  readonly #threads = new Map<ExecutionThread, NodeJS.Timeout | undefined>();
  readonly #used = { gas: 0, ms: 0 };
  readonly #exemption = createExemptionFlag();
  #lastNumber = 0;

  /** @param onFault called when a thread has failed; a new thread replaces it when there is work */
  constructor(options: ThreadGroupOptions, onFault: (fault: string) => void) {
    this.#options = options;
    this.#onFault = onFault;
  }

  get size(): number {
    return this.#threads.size;
  }

  /** Total gas of finished runs and total milliseconds in slices, over all threads since the start. */
  get used(): { readonly gas: number; readonly ms: number } {
    return this.#used;
  }

  /**
   * Returns the thread on which the owner's next job gets the largest share of time. Starts a thread if all threads have jobs and their number is
   * below the limit.
   */
  choose(owner: string): ExecutionThread {
    let best: ExecutionThread | undefined;
    for (const thread of this.#threads.keys()) {
      if (best === undefined || thread.crowdFor(owner) < best.crowdFor(owner)) best = thread;
    }
    if (best === undefined || (best.load > 0 && this.size < this.#options.threads)) best = this.#add();
    clearTimeout(this.#threads.get(best));
    this.#threads.set(best, undefined);
    return best;
  }

  /** Starts the stop timers of idle threads; must be called after every end of a job. */
  noteIdle(): void {
    for (const [thread, timer] of this.#threads) {
      if (thread.load > 0 || timer !== undefined) continue;
      const end = setTimeout(() => void this.#end(thread), this.#options.idleMs);
      end.unref();
      this.#threads.set(thread, end);
    }
  }

  /** Stops all threads. */
  async close(): Promise<void> {
    await Promise.all([...this.#threads.keys()].map((thread) => this.#end(thread)));
  }

  #add(): ExecutionThread {
    const { heapMb, memoryLimit, threads, ownerShare } = this.#options;
    this.#lastNumber++;
    const number = this.#lastNumber;
    const memory = { threads, thread: number, ownerShare, exemption: this.#exemption };
    const onBreakdown = (thread: ExecutionThread, cause: Error): void => {
      this.#threads.delete(thread);
      clearExemption(this.#exemption, number);
      this.#onFault(String(cause.stack));
    };
    const onUse = (gas: number, ms: number): void => {
      this.#used.gas += gas;
      this.#used.ms += ms;
    };
    const thread = new ExecutionThread({ heapMb, memoryLimit, memory, onBreakdown, onUse });
    this.#threads.set(thread, undefined);
    return thread;
  }

  async #end(thread: ExecutionThread): Promise<void> {
    clearTimeout(this.#threads.get(thread));
    this.#threads.delete(thread);
    await thread.stop();
  }
}
