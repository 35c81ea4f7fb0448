import type { Execution, Pause } from '../simulation/execution.ts';

/** How long one execution may hold a thread before others have their turn, milliseconds. */
export const SLICE_MS = 2;

const readClock = (): number => performance.now();

/**
 * Runs work until it is done, a slice's time is over, or what comes next has to wait for the slice after this one.
 * @param endsAt on the clock of `now`, by default `performance.now()`
 * @throws what the work throws
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
