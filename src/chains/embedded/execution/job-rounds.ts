import type { HexData } from '../../../../packages/ethereum/primitives/hex-data.ts';
import { ChainError } from '../../../chain/errors.ts';
import type { Execution } from '../simulation/execution.ts';
import { MissingState } from '../state/missing-state.ts';
import type { JobOutcome } from './job.ts';
import { runSlice, SLICE_MS } from './run-slice.ts';

type RunningJob = {
  readonly id: number;
  readonly execution: Execution<HexData>;
  /** Total duration of the slices of one job, milliseconds. */
  usedMs: number;
};

/** Jobs of one owner. */
type OwnerJobs = {
  readonly name: string;
  readonly fresh: RunningJob[];
  readonly paused: RunningJob[];
  isFreshNext: boolean;
  /** Thread time used, milliseconds. A new owner starts with the lowest value of the other owners. */
  usedMs: number;
};

/** A finished job with its outcome. */
export type FinishedJob = {
  readonly id: number;
  readonly outcome: JobOutcome;
  /** Total duration of the slices of one job, milliseconds. */
  readonly ms: number;
};

/** Minimum time that one slice counts for its owner, milliseconds. */
const LEAST_MS = 0.1;

/** Converts the error of a job to the outcome that the thread reports. */
export function describeFailure(error: unknown): JobOutcome {
  if (error instanceof MissingState) return { missing: error.need };
  if (!(error instanceof ChainError)) return { fault: String((error as Error)?.stack ?? error) };
  const { kind, message, data, bound } = error;
  return {
    error: { kind, message, ...(data !== undefined && { data }), ...(bound !== undefined && { bound }) },
  };
}

/**
 * Schedules the jobs of one thread by slices. The next slice goes to the owner that has used the least time, even if it has many jobs. A new owner
 * starts with the lowest used time of all owners, and is served first. An owner's slices alternate between new and paused jobs, so that a short new
 * job does not wait until all long jobs had a slice.
 */
export class JobRounds {
  /** Owners, least recently run first. */
  readonly #owners = new Map<string, OwnerJobs>();
  readonly #now: () => number;
  #size = 0;

  /** @param now monotonic clock, milliseconds */
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

  /** Cancels a job. @returns the job when it has ended; undefined when the id is unknown or the job still has to undo changes in later slices */
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

  /** Runs one slice of the next job. @returns the job if it ended in this slice */
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

  /**
   * Returns the owner that has used the least time. If several used equally little, an owner with a new job is first, and then the owner that has
   * waited longest.
   */
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
