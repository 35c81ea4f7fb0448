import { ChainError } from '../../chain/errors.ts';
import type { HexData } from '../../primitives/hex-data.ts';
import type { Execution } from '../simulation/execution.ts';
import { MissingState } from '../state/missing-state.ts';
import type { JobOutcome } from './job.ts';
import { runSlice, SLICE_MS } from './run-slice.ts';

type RunningJob = {
  readonly id: number;
  readonly execution: Execution<HexData>;
  /** Milliseconds of its slices. */
  usedMs: number;
};

/** Jobs of one owner. */
type OwnerJobs = {
  readonly name: string;
  readonly fresh: RunningJob[];
  readonly paused: RunningJob[];
  isFreshNext: boolean;
  /** Thread time that it has had, milliseconds, counted from what the others had had when it came. */
  usedMs: number;
};

/** What became of a job. */
export type FinishedJob = {
  readonly id: number;
  readonly outcome: JobOutcome;
  /** Milliseconds of its slices. */
  readonly ms: number;
};

/** The least that a slice counts, however short it was, milliseconds. */
const LEAST_MS = 0.1;

/** How a job failed, as a message. */
export function describeFailure(error: unknown): JobOutcome {
  if (error instanceof MissingState) return { missing: error.need };
  if (!(error instanceof ChainError)) return { fault: String((error as Error)?.stack ?? error) };
  const { kind, message, data, bound } = error;
  return {
    error: { kind, message, ...(data !== undefined && { data }), ...(bound !== undefined && { bound }) },
  };
}

/**
 * Jobs of one thread, a slice at a time. The next slice is for the owner that has had the least time, however many jobs each
 * has; an owner that comes anew begins level with that one, and before it. Of one owner's jobs every other slice is for one
 * that has just come, so that a short one does not wait for a round of all the long ones.
 */
export class JobRounds {
  /** Those that had a slice last come last. */
  readonly #owners = new Map<string, OwnerJobs>();
  readonly #now: () => number;
  #size = 0;

  /** `now` is a monotonic clock in milliseconds. */
  constructor(now: () => number = () => performance.now()) {
    this.#now = now;
  }

  get size(): number {
    return this.#size;
  }

  add(id: number, owner: string, execution: Execution<HexData>): void {
    let jobs = this.#owners.get(owner);
    if (jobs === undefined) {
      const usedMs = this.#chooseOwner()?.usedMs ?? 0;
      jobs = { name: owner, fresh: [], paused: [], isFreshNext: true, usedMs };
      this.#owners.set(owner, jobs);
    }
    jobs.fresh.push({ id, execution, usedMs: 0 });
    this.#size++;
  }

  /** Gives a job up. @returns it when it has ended; undefined when it is not there, or first has to undo what it did */
  cancel(id: number): FinishedJob | undefined {
    for (const jobs of this.#owners.values()) {
      const index = jobs.fresh.findIndex((job) => job.id === id);
      const job = index < 0 ? jobs.paused.find((other) => other.id === id) : jobs.fresh[index];
      if (job === undefined) continue;
      if (job.execution.return('').done) return this.#remove(jobs, job, { result: '' });
      if (index >= 0) jobs.paused.push(...jobs.fresh.splice(index, 1));
      return undefined;
    }
    return undefined;
  }

  /** Runs a slice of the job that has the turn. @returns the job when it has ended */
  runNext(): FinishedJob | undefined {
    const jobs = this.#chooseOwner();
    if (jobs === undefined) return undefined;
    const isFresh = jobs.fresh.length > 0 && (jobs.isFreshNext || jobs.paused.length === 0);
    jobs.isFreshNext = !isFresh;
    const job = (isFresh ? jobs.fresh : jobs.paused).shift() as RunningJob;
    jobs.paused.push(job);
    const startedAt = this.#now();
    let outcome: JobOutcome | undefined;
    try {
      const { done, value } = runSlice(job.execution, startedAt + SLICE_MS, this.#now);
      if (done) outcome = { result: value };
    } catch (error) {
      outcome = describeFailure(error);
    }
    const ms = this.#now() - startedAt;
    job.usedMs += ms;
    this.#count(jobs, ms);
    return outcome && this.#remove(jobs, job, outcome);
  }

  /** The owner that has had the least time; of several the one with a job that has just come, then the one that waits longest. */
  #chooseOwner(): OwnerJobs | undefined {
    let best: OwnerJobs | undefined;
    for (const jobs of this.#owners.values()) {
      if (best === undefined || jobs.usedMs < best.usedMs) best = jobs;
      else if (jobs.usedMs === best.usedMs && best.fresh.length === 0 && jobs.fresh.length > 0) best = jobs;
    }
    return best;
  }

  #count(jobs: OwnerJobs, ms: number): void {
    jobs.usedMs += Math.max(LEAST_MS, ms);
    this.#owners.delete(jobs.name);
    this.#owners.set(jobs.name, jobs);
  }

  #remove(jobs: OwnerJobs, job: RunningJob, outcome: JobOutcome): FinishedJob {
    for (const list of [jobs.fresh, jobs.paused]) {
      const index = list.indexOf(job);
      if (index >= 0) list.splice(index, 1);
    }
    this.#size--;
    if (jobs.fresh.length === 0 && jobs.paused.length === 0) this.#owners.delete(jobs.name);
    return { id: job.id, outcome, ms: job.usedMs };
  }
}
