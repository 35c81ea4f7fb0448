import type { CallScope } from '../../chain/chain.ts';
import { ChainError } from '../../chain/errors.ts';
import type { EngineFigures } from '../../observe/sources.ts';
import type { HexData } from '../../primitives/hex-data.ts';
import type { Room } from './first-slices.ts';
import type { Job, JobOutcome } from './job.ts';
import { chooseNext, type Lane } from './next-task.ts';
import { ThreadGroup, type ThreadGroupOptions } from './thread-group.ts';

export type HeavyCallsOptions = {
  /** Calls that run at the same time, on all threads together; each has memory of its own. */
  readonly runningLimit: number;
  /** Calls that may wait. */
  readonly queueLimit: number;
} & ThreadGroupOptions;

/** A call on its way through queue and thread. */
type Task = Lane & {
  readonly job: Job;
  readonly settle: (outcome: JobOutcome) => void;
  /** Once it runs: ends that. */
  cancel: (() => void) | undefined;
};

/** The part of all places that one caller may have. */
const OWNER_SHARE = { running: 0.75, waiting: 0.5 } as const;

export const WAITED_TOO_LONG: ChainError = new ChainError('busy', 'too many executions are waiting');
export const STOPPING: ChainError = new ChainError('aborted', 'the server is stopping');
const CALLER_GONE = new ChainError('aborted', 'the caller has gone');

/**
 * Runs calls that take longer than a slice on threads, many in turn on each. Those that have to wait for a place are
 * taken from different callers and contracts in turn. A call whose time is up or whose caller has gone ends between two
 * slices; no thread is ended for a call's sake.
 */
export class HeavyCalls {
  readonly #options: HeavyCallsOptions;
  /** How many calls of one caller may run, and wait. */
  readonly #ownerRunningLimit: number;
  readonly #ownerQueueLimit: number;
  readonly #threads: ThreadGroup;
  readonly #waiting: Task[] = [];
  /** How many of those are each caller's. */
  readonly #waitingOf = new Map<string, number>();
  readonly #running = new Set<Task>();
  /** Ends each task that waits or runs. */
  readonly #failures = new Map<Task, (error: Error) => void>();
  readonly #onFault: (fault: string) => void;
  /** That ran and are over. */
  #executions = 0;
  #isClosed = false;

  constructor(options: HeavyCallsOptions, onFault: (fault: string) => void) {
    this.#options = options;
    this.#ownerRunningLimit = Math.max(1, Math.floor(options.runningLimit * OWNER_SHARE.running));
    this.#ownerQueueLimit = Math.ceil(options.queueLimit * OWNER_SHARE.waiting);
    this.#onFault = onFault;
    this.#threads = new ThreadGroup(options, onFault);
  }

  /** Threads that there are now. */
  get size(): number {
    return this.#threads.size;
  }

  /** What metrics show. */
  describe(): EngineFigures {
    const { gas, ms } = this.#threads.used;
    return {
      places: [{ where: 'thread', executions: this.#executions, gas, seconds: ms / 1_000 }],
      queued: this.#waiting.length,
      running: this.#running.size,
      threads: this.#threads.size,
    };
  }

  /** Where a call more of this caller would find itself. */
  roomFor(owner: string): Room {
    if (this.#waiting.length === 0) return this.#running.size < this.#ownerRunningLimit ? 'thread' : 'queue';
    const waiting = this.#waitingOf.get(owner) ?? 0;
    return this.#waiting.length < this.#options.queueLimit && waiting < this.#ownerQueueLimit
      ? 'queue'
      : 'none';
  }

  /**
   * @returns the job's result
   * @throws ChainError: the call's own failure, `timeout` past the deadline, `busy` when it waited until then or may
   * not even wait
   */
  run(job: Job, { owner, lane }: Lane, scope: CallScope): Promise<HexData> {
    return new Promise((resolve, reject) => {
      const { signal } = scope;
      const release = (): void => {
        clearTimeout(timer);
        signal.removeEventListener('abort', onAbort);
        this.#remove(task);
      };
      const settle = (outcome: JobOutcome): void => {
        release();
        if ('result' in outcome) resolve(outcome.result);
        else if ('error' in outcome) {
          reject(new ChainError(outcome.error.kind, outcome.error.message, outcome.error.data));
        } else {
          this.#onFault(outcome.fault);
          reject(new Error('the execution failed unexpectedly'));
        }
      };
      const fail = (error: Error): void => {
        task.cancel?.();
        release();
        reject(error);
      };
      const onAbort = (): void => fail(CALLER_GONE);
      const onDeadline = (): void => fail(task.cancel === undefined ? WAITED_TOO_LONG : timeoutError(scope));
      if (this.#isClosed) return reject(STOPPING);
      if (signal.aborted) return reject(CALLER_GONE);
      if (this.roomFor(owner) === 'none') return reject(WAITED_TOO_LONG);
      const task: Task = { job, owner, lane, settle, cancel: undefined };
      const timer = setTimeout(onDeadline, Math.max(0, scope.deadline - performance.now()));
      signal.addEventListener('abort', onAbort);
      this.#waiting.push(task);
      this.#countWaiting(owner, 1);
      this.#failures.set(task, fail);
      this.#dispatch();
      return undefined;
    });
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    for (const fail of this.#failures.values()) fail(STOPPING);
    await this.#threads.close();
  }

  /** Forgets a task that is over; its place may be another's. */
  #remove(task: Task): void {
    this.#failures.delete(task);
    if (this.#running.delete(task)) this.#executions++;
    else this.#takeWaiting(this.#waiting.indexOf(task));
    this.#dispatch();
    this.#threads.noteIdle();
  }

  /** Gives waiting tasks to threads while there are places. */
  #dispatch(): void {
    while (!this.#isClosed && this.#waiting.length > 0 && this.#running.size < this.#options.runningLimit) {
      const next = chooseNext(this.#waiting, [...this.#running], this.#ownerRunningLimit);
      if (next < 0) return;
      const task = this.#takeWaiting(next);
      this.#running.add(task);
      task.cancel = this.#threads.choose().run(task.job, task.settle);
    }
  }

  #takeWaiting(index: number): Task {
    const [task] = this.#waiting.splice(index, 1) as [Task];
    this.#countWaiting(task.owner, -1);
    return task;
  }

  #countWaiting(owner: string, change: 1 | -1): void {
    const count = (this.#waitingOf.get(owner) ?? 0) + change;
    if (count === 0) this.#waitingOf.delete(owner);
    else this.#waitingOf.set(owner, count);
  }
}

/** geth's text; the limit as it was given, to the tenth of a second. */
function timeoutError({ limitMs = 0 }: CallScope): ChainError {
  const seconds = Math.round(limitMs / 100) / 10;
  return new ChainError('timeout', `execution aborted (timeout = ${seconds}s)`);
}
