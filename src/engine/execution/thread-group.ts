import type { OwnerShare } from '../../util/shared-budget.ts';
import { clearExemption, createExemptionFlag } from './execution-memory.ts';
import { ExecutionThread, type ThreadOptions } from './execution-thread.ts';

export type ThreadGroupOptions = {
  /** At most; each is started when the others have work. */
  readonly threads: number;
  /** A thread without jobs is ended after so many milliseconds: its memory is the system's again. */
  readonly idleMs: number;
  /** The part of the memory for large executions that one owner alone may have. */
  readonly ownerShare: OwnerShare;
} & Omit<ThreadOptions, 'memory' | 'onBreakdown' | 'onUse'>;

/** Threads that come and go with the work that there is for them. */
export class ThreadGroup {
  readonly #options: ThreadGroupOptions;
  readonly #onFault: (fault: string) => void;
  /** With what ends each when it stays without jobs. */
  readonly #threads = new Map<ExecutionThread, NodeJS.Timeout | undefined>();
  readonly #used = { gas: 0, ms: 0 };
  readonly #exemption = createExemptionFlag();
  #lastNumber = 0;

  /** `onFault` is called when a thread has failed. Another one takes its place when there is work. */
  constructor(options: ThreadGroupOptions, onFault: (fault: string) => void) {
    this.#options = options;
    this.#onFault = onFault;
  }

  get size(): number {
    return this.#threads.size;
  }

  /** What all of them have used since the start: gas of runs that ended, milliseconds in slices. */
  get used(): { readonly gas: number; readonly ms: number } {
    return this.#used;
  }

  /** The thread of which the owner's next job has the largest part; a new one while there may be more and all have jobs. */
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

  /** To be called when jobs have ended. */
  noteIdle(): void {
    for (const [thread, timer] of this.#threads) {
      if (thread.load > 0 || timer !== undefined) continue;
      const end = setTimeout(() => void this.#end(thread), this.#options.idleMs);
      end.unref();
      this.#threads.set(thread, end);
    }
  }

  /** Ends all threads. */
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
