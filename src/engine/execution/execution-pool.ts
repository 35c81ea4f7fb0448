import { performance } from 'node:perf_hooks';
import { Worker } from 'node:worker_threads';
import type { CallScope } from '../../chain/chain.ts';
import { ChainError } from '../../chain/errors.ts';
import { type Job, type JobOutcome, READY, type WorkerMessage } from './job.ts';

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
  heavyAfterMs: 250,
  queueLimit: 4_096,
  heapMb: 512,
};

type Task = {
  readonly job: Job;
  readonly limitMs: number;
  readonly scope: CallScope;
  readonly resolve: (result: string) => void;
  readonly reject: (error: Error) => void;
  /** Runs while the task waits: it must not wait past its deadline. */
  timer: NodeJS.Timeout | undefined;
};

type Thread = {
  readonly worker: Worker;
  /**
   * Not loading modules and not opening a store. Until then time is not the task's fault, and the thread must not be
   * ended: native code that cannot throw into a thread under termination takes the whole process down.
   */
  isReady: boolean;
  /** Stores that it has open. */
  readonly stores: Set<string>;
  task: Task | undefined;
  /** While working: until the task counts as heavy, then until its deadline. Idle and spare: until its end. */
  timer: NodeJS.Timeout | undefined;
  /** Ends listening for the caller of a heavy task to go away. */
  stopListening: (() => void) | undefined;
};

const CALLER_GONE = new ChainError('aborted', 'the caller has gone');
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
  run(job: Job, scope: CallScope): Promise<string> {
    return new Promise((resolve, reject) => {
      if (this.#isClosed) return reject(STOPPING);
      if (this.#queue.length >= this.#options.queueLimit) {
        return reject(new ChainError('busy', 'too many executions are waiting'));
      }
      const limitMs = Math.max(0, scope.deadline - performance.now());
      const task: Task = { job, limitMs, scope, resolve, reject, timer: undefined };
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
    const thread: Thread = {
      worker,
      isReady: false,
      stores: new Set(),
      task: undefined,
      timer: undefined,
      stopListening: undefined,
    };
    worker.on('message', (message: WorkerMessage) => {
      if (message === READY) this.#noteReady(thread);
      else this.#settle(thread, message);
    });
    worker.on('error', (error) => this.#replace(thread, error));
    worker.unref();
    this.#threads.add(thread);
    return thread;
  }

  /** Gives waiting tasks to idle threads, and to new ones where threads broke down. */
  #dispatch(): void {
    while (this.#queue.length > 0) {
      const idle = [...this.#threads].find(({ task, isReady }) => task === undefined && isReady);
      if (idle !== undefined) this.#start(idle, this.#queue.shift() as Task);
      else if (this.#threads.size < this.#options.threads) this.#addThread();
      else return;
    }
  }

  #abandon(task: Task): void {
    this.#queue.splice(this.#queue.indexOf(task), 1);
    task.reject(timeoutError(task));
  }

  #start(thread: Thread, task: Task): void {
    clearTimeout(task.timer);
    if (performance.now() >= task.scope.deadline) {
      task.reject(timeoutError(task));
      return;
    }
    clearTimeout(thread.timer);
    thread.task = task;
    thread.worker.ref();
    thread.isReady = thread.stores.has(task.job.store);
    this.#watch(thread, task);
    thread.worker.postMessage(task.job);
  }

  #noteReady(thread: Thread): void {
    thread.isReady = true;
    if (thread.task === undefined) {
      this.#dispatch();
      return;
    }
    thread.stores.add(thread.task.job.store);
    clearTimeout(thread.timer);
    this.#watch(thread, thread.task);
  }

  #watch(thread: Thread, task: Task): void {
    const rest = Math.max(0, task.scope.deadline - performance.now());
    thread.timer = thread.isReady
      ? setTimeout(() => this.#noteHeavy(thread, task), Math.min(this.#options.heavyAfterMs, rest))
      : setTimeout(() => this.#replace(thread, timeoutError(task)), rest);
  }

  #noteHeavy(thread: Thread, task: Task): void {
    const { deadline, signal } = task.scope;
    if (signal.aborted) {
      this.#replace(thread, CALLER_GONE);
      return;
    }
    const onAbort = (): void => this.#replace(thread, CALLER_GONE);
    signal.addEventListener('abort', onAbort);
    thread.stopListening = () => signal.removeEventListener('abort', onAbort);
    const rest = Math.max(0, deadline - performance.now());
    thread.timer = setTimeout(() => this.#replace(thread, timeoutError(task)), rest);
    this.#callForHelp();
  }

  /**
   * Adds a thread when all are held, and one for every call that waits, but not more at a time than there are heavy
   * calls: a thread costs a few hundred milliseconds of CPU before it helps.
   */
  #callForHelp(): void {
    const threads = [...this.#threads];
    const near = threads.filter(({ task, isReady }) => task === undefined || !isReady).length;
    const heavy = threads.filter(({ stopListening }) => stopListening !== undefined).length;
    const wanted = Math.max(1, Math.min(this.#queue.length, heavy)) - near;
    const room = this.#options.maxThreads - threads.length;
    for (let i = 0; i < Math.min(wanted, room); i++) this.#endWhenSpare(this.#addThread());
  }

  #settle(thread: Thread, outcome: JobOutcome): void {
    const { task } = thread;
    if (task === undefined) return;
    this.#release(thread);
    thread.isReady = true;
    thread.worker.unref();
    if ('result' in outcome) task.resolve(outcome.result);
    else if ('error' in outcome) {
      task.reject(new ChainError(outcome.error.kind, outcome.error.message, outcome.error.data));
    } else {
      this.#options.onFault(outcome.fault);
      task.reject(new Error('the execution failed unexpectedly'));
    }
    this.#dispatch();
    if (thread.task === undefined) this.#endWhenSpare(thread);
  }

  /** Lets an idle thread go after a while if there are more than there must be. */
  #endWhenSpare(thread: Thread): void {
    if (this.#threads.size <= this.#options.threads) return;
    thread.timer = setTimeout(() => void this.#end(thread, STOPPING), SPARE_THREAD_MS).unref();
  }

  #release(thread: Thread): void {
    clearTimeout(thread.timer);
    thread.stopListening?.();
    thread.stopListening = undefined;
    thread.task = undefined;
  }

  /**
   * Ends a thread whose task is no longer wanted, or that broke down. In the first case another takes its place at
   * once; in the second when there is work for it. A thread that cannot even start takes a waiting task with it, so that
   * none are started for ever.
   */
  #replace(thread: Thread, error: Error): void {
    if (!this.#threads.has(thread)) return;
    const isUnwanted = error instanceof ChainError;
    const isMemory = (error as NodeJS.ErrnoException).code === 'ERR_WORKER_OUT_OF_MEMORY';
    if (!isMemory && !isUnwanted) this.#options.onFault(String(error.stack));
    if (!isUnwanted && !thread.isReady && thread.task === undefined) {
      const waiting = this.#queue.shift();
      clearTimeout(waiting?.timer);
      waiting?.reject(error);
    }
    void this.#end(thread, isMemory ? new ChainError('failed', 'out of memory') : error);
    if (isUnwanted && this.#threads.size < this.#options.threads) this.#addThread();
    this.#dispatch();
  }

  async #end(thread: Thread, error: Error): Promise<void> {
    this.#threads.delete(thread);
    const { task } = thread;
    this.#release(thread);
    task?.reject(error);
    if (!thread.isReady) await untilHeardFrom(thread.worker);
    await thread.worker.terminate();
  }
}

function untilHeardFrom(worker: Worker): Promise<void> {
  worker.ref();
  return new Promise((resolve) => {
    for (const event of ['message', 'exit']) worker.once(event, () => resolve());
  });
}

/** geth's text; the limit as it was given, in whole seconds where it is. */
function timeoutError({ limitMs }: Task): ChainError {
  const rounded = Math.round(limitMs / 100) / 10;
  return new ChainError('timeout', `execution aborted (timeout = ${rounded}s)`);
}
