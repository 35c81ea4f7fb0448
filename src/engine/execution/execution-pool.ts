import { performance } from 'node:perf_hooks';
import { Worker } from 'node:worker_threads';
import type { CallScope } from '../../chain/chain.ts';
import { ChainError } from '../../chain/errors.ts';
import type { Job, JobOutcome } from './job.ts';

export type ExecutionPoolOptions = {
  /** Threads that are always there. */
  readonly threads: number;
  /** Threads at most: while heavy calls hold some, others are added for the light ones. */
  readonly maxThreads: number;
  /** A call that runs longer than this counts as heavy, milliseconds. */
  readonly heavyAfterMs: number;
  /** Calls that may wait. */
  readonly queueLimit: number;
  /** Heap of one thread, MiB. */
  readonly heapMb: number;
  /** Told of faults of this program; never of calls that fail by themselves. */
  readonly onFault: (fault: string) => void;
};

export const DEFAULT_POOL: Omit<ExecutionPoolOptions, 'threads' | 'onFault'> = {
  maxThreads: 16,
  heavyAfterMs: 50,
  queueLimit: 4_096,
  heapMb: 512,
};

type Task = {
  readonly job: Job;
  readonly limitMs: number;
  readonly deadline: number;
  readonly resolve: (result: string) => void;
  readonly reject: (error: Error) => void;
  /** Runs while the task waits: it must not wait past its deadline. */
  timer: NodeJS.Timeout | undefined;
};

type Thread = { readonly worker: Worker; task: Task | undefined; timer: NodeJS.Timeout | undefined };

const STOPPING = new ChainError('aborted', 'the server is stopping');
/** How long a thread that was added for heavy calls stays without work. */
const SPARE_THREAD_MS = 10_000;

/**
 * Runs executions on threads, so that none holds up the event loop or, while threads can be added, one
 * another. A call past its deadline is ended by ending its thread.
 */
export class ExecutionPool {
  readonly #options: ExecutionPoolOptions;
  readonly #threads = new Set<Thread>();
  readonly #queue: Task[] = [];
  #isClosed = false;

  constructor(options: ExecutionPoolOptions) {
    this.#options = options;
    for (let i = 0; i < options.threads; i++) this.#addThread();
  }

  /** Number of threads now; for metrics and tests. */
  get size(): number {
    return this.#threads.size;
  }

  /**
   * @returns the job's result as hex
   * @throws ChainError: the call's own failure, `timeout` past the deadline, `busy` when the queue is full
   */
  run(job: Job, { deadline }: Pick<CallScope, 'deadline'>): Promise<string> {
    return new Promise((resolve, reject) => {
      if (this.#isClosed) return reject(STOPPING);
      if (this.#queue.length >= this.#options.queueLimit) {
        return reject(new ChainError('busy', 'too many executions are waiting'));
      }
      const limitMs = Math.max(0, deadline - performance.now());
      const task: Task = { job, limitMs, deadline, resolve, reject, timer: undefined };
      this.#queue.push(task);
      this.#dispatch();
      if (this.#queue.includes(task)) task.timer = setTimeout(() => this.#abandon(task), limitMs);
      return undefined;
    });
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    for (const task of this.#queue.splice(0)) {
      clearTimeout(task.timer);
      task.reject(STOPPING);
    }
    await Promise.all([...this.#threads].map((thread) => this.#end(thread, STOPPING)));
  }

  #addThread(): Thread {
    const worker = new Worker(new URL('./worker.js', import.meta.url), {
      resourceLimits: { maxOldGenerationSizeMb: this.#options.heapMb },
    });
    const thread: Thread = { worker, task: undefined, timer: undefined };
    worker.on('message', (outcome: JobOutcome) => this.#settle(thread, outcome));
    worker.on('error', (error) => this.#replace(thread, error));
    worker.unref();
    this.#threads.add(thread);
    return thread;
  }

  /** Gives waiting tasks to idle threads; adds a thread when all are held by heavy calls. */
  #dispatch(): void {
    while (this.#queue.length > 0) {
      const idle = [...this.#threads].find(({ task }) => task === undefined);
      if (idle === undefined) return;
      this.#start(idle, this.#queue.shift() as Task);
    }
  }

  #abandon(task: Task): void {
    this.#queue.splice(this.#queue.indexOf(task), 1);
    task.reject(timeoutError(task));
  }

  #start(thread: Thread, task: Task): void {
    clearTimeout(task.timer);
    clearTimeout(thread.timer);
    if (performance.now() >= task.deadline) {
      task.reject(timeoutError(task));
      return;
    }
    thread.task = task;
    thread.worker.ref();
    thread.timer = setTimeout(() => this.#noteHeavy(thread, task), this.#options.heavyAfterMs);
    thread.worker.postMessage(task.job);
  }

  #noteHeavy(thread: Thread, task: Task): void {
    const rest = Math.max(0, task.deadline - performance.now());
    thread.timer = setTimeout(() => this.#replace(thread, timeoutError(task)), rest);
    const isAnyIdle = [...this.#threads].some((other) => other.task === undefined);
    if (!isAnyIdle && this.#threads.size < this.#options.maxThreads) {
      this.#addThread();
      this.#dispatch();
    }
  }

  #settle(thread: Thread, outcome: JobOutcome): void {
    const { task } = thread;
    if (task === undefined) return;
    clearTimeout(thread.timer);
    thread.task = undefined;
    thread.worker.unref();
    if ('result' in outcome) task.resolve(outcome.result);
    else if ('error' in outcome) {
      task.reject(new ChainError(outcome.error.kind, outcome.error.message, outcome.error.data));
    } else {
      this.#options.onFault(outcome.fault);
      task.reject(new Error('the execution failed unexpectedly'));
    }
    this.#dispatch();
    if (thread.task === undefined && this.#threads.size > this.#options.threads) {
      thread.timer = setTimeout(() => void this.#end(thread, STOPPING), SPARE_THREAD_MS).unref();
    }
  }

  /** Ends a thread that is past its deadline or broke down, and puts another in its place. */
  #replace(thread: Thread, error: Error): void {
    if (!this.#threads.has(thread)) return;
    const isMemory = (error as NodeJS.ErrnoException).code === 'ERR_WORKER_OUT_OF_MEMORY';
    if (!isMemory && !(error instanceof ChainError)) this.#options.onFault(String(error.stack));
    const reported = isMemory ? new ChainError('failed', 'out of memory') : error;
    void this.#end(thread, reported);
    if (!this.#isClosed && this.#threads.size < this.#options.threads) this.#addThread();
    this.#dispatch();
  }

  async #end(thread: Thread, error: Error): Promise<void> {
    this.#threads.delete(thread);
    clearTimeout(thread.timer);
    thread.task?.reject(error);
    thread.task = undefined;
    await thread.worker.terminate();
  }
}

/** geth's text; the limit as it was given, in whole seconds where it is. */
function timeoutError({ limitMs }: Task): ChainError {
  const rounded = Math.round(limitMs / 100) / 10;
  return new ChainError('timeout', `execution aborted (timeout = ${rounded}s)`);
}
