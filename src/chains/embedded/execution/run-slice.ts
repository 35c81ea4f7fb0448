import type { Execution, Pause } from '../simulation/execution.ts';

/** Maximum time of one execution on a thread before other executions run, milliseconds. */
export const SLICE_MS = 2;

const readClock = (): number => performance.now();

/**
 * Runs work until it is finished, the slice is over, or the next step must wait for another slice.
 * @param endsAt end of the slice on the clock `now`, by default `performance.now()`
 * @throws the errors of the work
 */
export function runSlice<T>(
  execution: Execution<T>,
  endsAt: number,
  now: () => number = readClock,
): IteratorResult<Pause, T> {
  while (true) {
    const step = execution.next();
    if (step.done || step.value !== 'sliceUsed' || now() >= endsAt) return step;
  }
}
