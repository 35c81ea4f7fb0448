import type { HexData } from '../../../../packages/ethereum/primitives/hex-data.ts';
import { ChainError, createTimeout, restoreChainError } from '../../../chain/errors.ts';
import type { EngineFigures } from '../../../observe/sources.ts';
import type { RequestScope } from '../../../util/request-scope.ts';
import { type OwnerShare, SharedBudget } from '../../../util/shared-budget.ts';
import { MissingState } from '../state/missing-state.ts';
import type { OnJobEnd } from './execution-thread.ts';
import type { Room } from './first-slices.ts';
import type { Job, JobOutcome } from './job.ts';
import { chooseNext, type Lane } from './next-task.ts';
import { ThreadGroup, type ThreadGroupOptions } from './thread-group.ts';

export type HeavyCallsOptions = {
  /** Maximum number of running calls on all threads; each has its own EVM memory. */
  readonly runningLimit: number;
  /** Maximum number of queued calls. */
  readonly queueLimit: number;
  /** Maximum share that one owner may use of `runningLimit` and of `queueLimit`. */
  readonly ownerShare: OwnerShare;
} & ThreadGroupOptions;

/** A queued or running call. */
type Task = Lane & {
  readonly job: Job;
  readonly complete: OnJobEnd;
  /**
   * Cancels the task on its thread; undefined while the task is queued. The task counts as running until the thread has reported the end of the job.
   */
  cancel: (() => void) | undefined;
  /** True if the caller has received an answer. */
  isAnswered: boolean;
};

export const WAITED_TOO_LONG: ChainError = new ChainError('busy', 'executions.waiting');
export const STOPPING: ChainError = new ChainError('aborted', 'the server is stopping');
const CALLER_GONE = new ChainError('aborted', 'the caller has cancelled the request');

/**
 * Runs calls that take longer than a slice on threads; several calls alternate on each thread. The queue serves the owner with the fewest running
 * calls first, and then the contract with the fewest. On a deadline or a disconnect, the caller of a heavy call has its answer at once. A call
 * without a waiting caller stops at the end of its slice. Threads are never terminated to stop a call.
 */
export class HeavyCalls {
  /** Numbers of running and of queued calls, with their limits in total and per owner. */
  readonly #places: SharedBudget;
  readonly #queue: SharedBudget;
  readonly #threads: ThreadGroup;
  readonly #waiting: Task[] = [];
  readonly #running = new Set<Task>();
  /** Functions that reject queued or running tasks with an error, one per task. */
  readonly #failures = new Map<Task, (error: Error) => void>();
  readonly #onFault: (fault: string) => void;
  /** Number of finished executions. */
  #executions = 0;
  #isClosed = false;

  constructor(options: HeavyCallsOptions, onFault: (fault: string) => void) {
    this.#places = new SharedBudget(options.runningLimit, options.ownerShare);
    this.#queue = new SharedBudget(options.queueLimit, options.ownerShare);
    this.#onFault = onFault;
    this.#threads = new ThreadGroup(options, onFault);
  }

  /** Current number of threads. */
  get size(): number {
    return this.#threads.size;
  }

  /** Returns the figures for metrics. */
  describe(): EngineFigures {
    const { gas, ms } = this.#threads.used;
    return {
      places: [{ where: 'thread', executions: this.#executions, gas, seconds: ms / 1_000 }],
      queued: this.#waiting.length,
      running: this.#running.size,
      threads: this.#threads.size,
    };
  }

  /** Returns the destination that another heavy call of this owner would have now. */
  roomFor(owner: string): Room {
    if (this.#running.size === 0 && this.#waiting.length === 0) return 'empty';
    if (this.#places.hasRoom(owner, 1)) return 'thread';
    return this.#queue.hasRoom(owner, 1) ? 'queue' : 'none';
  }

  /**
   * Runs a job on a thread, or queues it.
   * @param onEnd called with the milliseconds of the job's slices when the job ends by itself
   * @returns the job's result
   * @throws ChainError: the call's own failure, `timeout` after the deadline, `busy` if the queue is full or the job waited in it until the deadline
   */
  run(
    job: Job,
    { owner, lane }: Lane,
    scope: RequestScope,
    onEnd: (ms: number) => void = () => {},
  ): Promise<HexData> {
    return new Promise((resolve, reject) => {
      const { signal } = scope;
      /** Marks the task as answered. @returns false if the task was already answered */
      const answer = (): boolean => {
        if (task.isAnswered) return false;
        task.isAnswered = true;
        clearTimeout(timer);
        signal.removeEventListener('abort', onAbort);
        this.#failures.delete(task);
        return true;
      };
      const complete = (outcome: JobOutcome, ms: number): void => {
        this.#free(task);
        if (!answer()) return;
        onEnd(ms);
        if ('result' in outcome) resolve(outcome.result);
        else if ('error' in outcome) {
          reject(restoreChainError(outcome.error));
        } else if ('missing' in outcome) reject(new MissingState(outcome.missing));
        else {
          this.#onFault(outcome.fault);
          reject(new Error('the execution failed unexpectedly'));
        }
      };
      const fail = (error: Error): void => {
        if (!answer()) return;
        if (task.cancel === undefined) this.#takeWaiting(this.#waiting.indexOf(task));
        else task.cancel();
        reject(error);
      };
      const onAbort = (): void => fail(CALLER_GONE);
      const onDeadline = (): void =>
        fail(task.cancel === undefined ? WAITED_TOO_LONG : createTimeout(scope.limitMs ?? 0));
      if (this.#isClosed) return reject(STOPPING);
      if (signal.aborted) return reject(CALLER_GONE);
      if (this.roomFor(owner) === 'none') return reject(WAITED_TOO_LONG);
      const task: Task = { job, owner, lane, complete, cancel: undefined, isAnswered: false };
      const timer = setTimeout(onDeadline, Math.max(0, scope.deadline - performance.now()));
      signal.addEventListener('abort', onAbort);
      this.#waiting.push(task);
      this.#queue.take(owner, 1);
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

  /** Removes a task that no longer uses its thread, and starts queued tasks. */
  #free(task: Task): void {
    this.#running.delete(task);
    this.#places.giveBack(task.owner, 1);
    this.#executions++;
    this.#dispatch();
    this.#threads.noteIdle();
  }

  /** Moves queued tasks to threads while fewer than `runningLimit` tasks run. */
  #dispatch(): void {
    while (!this.#isClosed && this.#waiting.length > 0 && this.#places.used < this.#places.limit) {
      const next = chooseNext(this.#waiting, [...this.#running], (owner) => this.#places.hasRoom(owner, 1));
      if (next < 0) return;
      const task = this.#takeWaiting(next);
      this.#places.take(task.owner, 1);
      this.#running.add(task);
      task.cancel = this.#threads.choose(task.owner).run(task.job, task.owner, task.complete);
    }
  }

  #takeWaiting(index: number): Task {
    const [task] = this.#waiting.splice(index, 1) as [Task];
    this.#queue.giveBack(task.owner, 1);
    return task;
  }
}
