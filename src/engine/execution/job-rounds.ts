import { ChainError } from '../../chain/errors.ts';
import type { HexData } from '../../primitives/hex-data.ts';
import type { Execution } from '../simulation/execution.ts';
import type { JobOutcome } from './job.ts';
import { runSlice, SLICE_MS } from './run-slice.ts';

type RunningJob = { readonly id: number; readonly execution: Execution<HexData> };

/** What became of a job. */
export type FinishedJob = { readonly id: number; readonly outcome: JobOutcome };

/** How a job failed, as a message. */
export function describeFailure(error: unknown): JobOutcome {
  if (!(error instanceof ChainError)) return { fault: String((error as Error)?.stack ?? error) };
  const { kind, message, data } = error;
  return { error: { kind, message, ...(data !== undefined && { data }) } };
}

/**
 * Jobs of one thread, a slice each in turn. Every other slice is for one that has just come, so that a short one needs
 * not wait for a round of all the long ones.
 */
export class JobRounds {
  readonly #fresh: RunningJob[] = [];
  readonly #paused: RunningJob[] = [];
  #isFreshNext = true;

  get size(): number {
    return this.#fresh.length + this.#paused.length;
  }

  add(id: number, execution: Execution<HexData>): void {
    this.#fresh.push({ id, execution });
  }

  /** Gives a job up, when it is there. */
  cancel(id: number): void {
    for (const jobs of [this.#fresh, this.#paused]) {
      const index = jobs.findIndex((job) => job.id === id);
      // Its value is of no interest: what matters is that it gives its EVM back.
      if (index >= 0) jobs.splice(index, 1)[0]?.execution.return('');
    }
  }

  /** Runs a slice of the job whose turn it is. @returns the job when it has ended */
  runNext(): FinishedJob | undefined {
    const isFresh = this.#fresh.length > 0 && (this.#isFreshNext || this.#paused.length === 0);
    this.#isFreshNext = !isFresh;
    const job = (isFresh ? this.#fresh : this.#paused).shift();
    if (job === undefined) return undefined;
    const { id, execution } = job;
    try {
      const { done, value } = runSlice(execution, performance.now() + SLICE_MS);
      if (done) return { id, outcome: { result: value } };
    } catch (error) {
      return { id, outcome: describeFailure(error) };
    }
    this.#paused.push(job);
    return undefined;
  }
}
