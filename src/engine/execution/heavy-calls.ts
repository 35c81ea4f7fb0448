import type { CallScope } from '../../chain/chain.ts';
import { ChainError } from '../../chain/errors.ts';
import type { Job, JobOutcome } from './job.ts';
import { chooseNext } from './next-task.ts';
import { ThreadGroup, type ThreadGroupOptions } from './thread-group.ts';

export type HeavyCallsOptions = {
  /** Calls that run at the same time, on all threads together; each has memory of its own. */
  readonly runningLimit: number;
  /** How many of those may be of one lane. */
  readonly laneLimit: number;
  /** Calls that may wait. */
  readonly queueLimit: number;
} & ThreadGroupOptions;

/** A call on its way through queue and thread. */
type Task = {
  readonly job: Job;
  readonly lane: string;
  readonly settle: (outcome: JobOutcome) => void;
  /** Once it runs: ends that. */
  cancel: (() => void) | undefined;
};

export const WAITED_TOO_LONG: ChainError = new ChainError('busy', 'too many executions are waiting');
export const STOPPING: ChainError = new ChainError('aborted', 'the server is stopping');
const CALLER_GONE = new ChainError('aborted', 'the caller has gone');

/**
 * Runs calls that take longer than a slice on threads, many in turn on each. Those that have to wait for a place are
 * taken from different lanes in turn. A call whose time is up or whose caller has gone ends between two slices; no thread
 * is ended for a call's sake.
 */
export class HeavyCalls {
  readonly #options: HeavyCallsOptions;
  readonly #threads: ThreadGroup;
  readonly #waiting: Task[] = [];
  readonly #running = new Set<Task>();
  /** Ends each task that waits or runs. */
  readonly #failures = new Map<Task, (error: Error) => void>();
  readonly #onFault: (fault: string) => void;
  #isClosed = false;

  constructor(options: HeavyCallsOptions, onFault: (fault: string) => void) {
    this.#options = options;
    this.#onFault = onFault;
    this.#threads = new ThreadGroup(options, onFault);
  }

  /** Threads that there are now. */
  get size(): number {
    return this.#threads.size;
  }

  /** Whether no call more may wait. */
  get isFull(): boolean {
    return this.#waiting.length >= this.#options.queueLimit;
  }

  /**
   * @param lane calls of one caller for one contract
   * @returns the job's result as hex
   * @throws ChainError: the call's own failure, `timeout` past the deadline, `busy` when it waited until then
   */
  run(job: Job, lane: string, scope: CallScope): Promise<string> {
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
      const task: Task = { job, lane, settle, cancel: undefined };
      const timer = setTimeout(onDeadline, Math.max(0, scope.deadline - performance.now()));
      signal.addEventListener('abort', onAbort);
      this.#waiting.push(task);
      this.#failures.set(task, fail);
      if (this.#isClosed) fail(STOPPING);
      else if (signal.aborted) fail(CALLER_GONE);
      else this.#dispatch();
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
    if (!this.#running.delete(task)) this.#waiting.splice(this.#waiting.indexOf(task), 1);
    this.#dispatch();
    this.#threads.noteIdle();
  }

  /** Gives waiting tasks to threads while there are places. */
  #dispatch(): void {
    const { runningLimit, laneLimit } = this.#options;
    while (!this.#isClosed && this.#waiting.length > 0 && this.#running.size < runningLimit) {
      const lanes = [...this.#running].map(({ lane }) => lane);
      const next = chooseNext(this.#waiting, lanes, laneLimit);
      if (next < 0) return;
      const [task] = this.#waiting.splice(next, 1) as [Task];
      this.#running.add(task);
      task.cancel = this.#threads.choose().run(task.job, task.settle);
    }
  }
}

/** geth's text; the limit as it was given, to the tenth of a second. */
function timeoutError({ limitMs = 0 }: CallScope): ChainError {
  const seconds = Math.round(limitMs / 100) / 10;
  return new ChainError('timeout', `execution aborted (timeout = ${seconds}s)`);
}
