import { constants, setPriority } from 'node:os';
import { performance } from 'node:perf_hooks';
import { Worker } from 'node:worker_threads';
import type { CallScope } from '../../chain/chain.ts';
import { ChainError } from '../../chain/errors.ts';
import type { Job, JobOutcome, WorkerMessage } from './job.ts';
import { chooseNext } from './next-task.ts';

export type ExecutionPoolOptions = {
  /** Threads for calls of which nobody knows yet how long they take. */
  readonly threads: number;
  /** Threads that heavy calls may hold beside those; one heavy call more is refused as busy. */
  readonly heavyThreads: number;
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
  heavyThreads: 14,
  heavyAfterMs: 250,
  queueLimit: 4_096,
  heapMb: 512,
};

type Task = {
  readonly job: Job;
  readonly scope: CallScope;
  /** Tasks of one caller for one contract. */
  readonly lane: string;
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
  systemThreadId: number | undefined;
  task: Task | undefined;
  /** While working: until the task counts as heavy, then until its deadline. */
  timer: NodeJS.Timeout | undefined;
  /** Its task is heavy: ends listening for the caller to go away. */
  stopListening: (() => void) | undefined;
};

const CALLER_GONE = new ChainError('aborted', 'the caller has gone');
const STOPPING = new ChainError('aborted', 'the server is stopping');
const WAITED_TOO_LONG = new ChainError('busy', 'too many executions are waiting');
const TOO_MANY_HEAVY = new ChainError('busy', 'too many long executions are running');

/**
 * Runs executions on threads, so that none holds up the event loop or one another. A call that turns out to be
 * heavy keeps its thread, at the lowest priority, and another thread takes that one's place. A call past its
 * deadline is ended by ending its thread. Calls that wait are taken from different callers and contracts in turn.
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
        return reject(WAITED_TOO_LONG);
      }
      const task: Task = { job, scope, lane: laneOf(job, scope), resolve, reject, timer: undefined };
      this.#queue.push(task);
      this.#dispatch();
      if (this.#queue.includes(task)) task.timer = setTimeout(() => this.#abandon(task), remaining(scope));
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
      systemThreadId: undefined,
      task: undefined,
      timer: undefined,
      stopListening: undefined,
    };
    worker.on('message', (message: WorkerMessage) => {
      if ('ready' in message) {
        thread.systemThreadId = message.systemThreadId;
        this.#noteReady(thread);
      } else this.#settle(thread, message);
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
      if (idle === undefined) break;
      const running = [...this.#threads].flatMap(({ task }) => task?.lane ?? []);
      const [task] = this.#queue.splice(chooseNext(this.#queue, running), 1);
      this.#start(idle, task as Task);
    }
    if (this.#queue.length > 0) this.#fillUp();
  }

  /** Keeps up the number of threads that are not held by heavy calls. */
  #fillUp(): void {
    if (this.#isClosed) return;
    const missing = this.#options.threads - (this.#threads.size - this.#heavyCount);
    for (let i = 0; i < missing; i++) this.#addThread();
  }

  get #heavyCount(): number {
    let count = 0;
    for (const { stopListening } of this.#threads) if (stopListening !== undefined) count++;
    return count;
  }

  #abandon(task: Task): void {
    this.#queue.splice(this.#queue.indexOf(task), 1);
    task.reject(WAITED_TOO_LONG);
  }

  #start(thread: Thread, task: Task): void {
    clearTimeout(task.timer);
    if (performance.now() >= task.scope.deadline) {
      task.reject(WAITED_TOO_LONG);
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
    const rest = remaining(task.scope);
    thread.timer = thread.isReady
      ? setTimeout(() => this.#noteHeavy(thread, task), Math.min(this.#options.heavyAfterMs, rest))
      : setTimeout(() => this.#replace(thread, timeoutError(task)), rest);
  }

  #noteHeavy(thread: Thread, task: Task): void {
    const { signal } = task.scope;
    if (signal.aborted) {
      this.#replace(thread, CALLER_GONE);
      return;
    }
    if (remaining(task.scope) === 0) {
      this.#replace(thread, timeoutError(task));
      return;
    }
    if (this.#heavyCount >= this.#options.heavyThreads) {
      this.#replace(thread, TOO_MANY_HEAVY);
      return;
    }
    const onAbort = (): void => this.#replace(thread, CALLER_GONE);
    signal.addEventListener('abort', onAbort);
    thread.stopListening = () => signal.removeEventListener('abort', onAbort);
    thread.timer = setTimeout(() => this.#replace(thread, timeoutError(task)), remaining(task.scope));
    lowerPriority(thread);
    this.#fillUp();
  }

  #settle(thread: Thread, outcome: JobOutcome): void {
    const { task, stopListening } = thread;
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
    // Its priority cannot be raised again without privileges, and its place was taken.
    if (stopListening !== undefined) void this.#end(thread, STOPPING);
    this.#dispatch();
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
    if (isUnwanted) this.#fillUp();
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

function remaining({ deadline }: CallScope): number {
  return Math.max(0, deadline - performance.now());
}

function laneOf({ request }: Job, { owner = '' }: CallScope): string {
  return `${owner}/${request.call.to ?? ''}`;
}

/** Light calls and the event loop come first. Where the system does not let us, all stay equal. */
function lowerPriority({ systemThreadId }: Thread): void {
  if (systemThreadId === undefined) return;
  try {
    setPriority(systemThreadId, constants.priority.PRIORITY_LOW);
  } catch {
    // The thread goes on at its old priority.
  }
}

/** geth's text; the limit as it was given, to the tenth of a second. */
function timeoutError({ scope }: Task): ChainError {
  const seconds = Math.round((scope.limitMs ?? 0) / 100) / 10;
  return new ChainError('timeout', `execution aborted (timeout = ${seconds}s)`);
}
