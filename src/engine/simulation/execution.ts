import type { RunningTransaction } from '../transition/running-transaction.ts';

/** Why work pauses: it was its turn for long enough, what comes next may take long and cannot be cut, or others have the memory. */
export type Pause = 'sliceUsed' | 'longStepAhead' | 'memoryAwaited';

/** Work that pauses of itself, several times a millisecond: `next` runs the next piece of it, `return` gives it up. */
export type Execution<T> = Generator<Pause, T, undefined>;

/** Gas between two pauses: 0.04 ms of ordinary code, 0.7 ms of the slowest. */
export const SLICE_GAS = 50_000n;

/** Runs a transaction for a slice. @returns why it pauses; undefined when it is done */
export function advance(running: RunningTransaction): Pause | undefined {
  if (running.advance(SLICE_GAS)) return undefined;
  return running.isAtLongStep ? 'longStepAhead' : 'sliceUsed';
}

/** Runs steps that pause at pieces which are a fraction of a slice. */
export function* runSteps<T>(steps: Generator<undefined, T>): Execution<T> {
  for (let step = steps.next(); ; step = steps.next()) {
    if (step.done) return step.value;
    yield 'sliceUsed';
  }
}
