import type { RunningTransaction } from '../../../../packages/evm/transition/running-transaction.ts';

/** Reason for a pause: the slice is used up, the next step may be long and cannot be split, or other executions use the memory. */
export type Pause = 'sliceUsed' | 'longStepAhead' | 'memoryAwaited';

/** Work that pauses several times per millisecond: `next` runs the next step, `return` abandons it. */
export type Execution<T> = Generator<Pause, T, undefined>;

/** Gas between two pauses: 0.04 ms of ordinary code, 0.7 ms of the slowest code. */
export const SLICE_GAS = 50_000n;

/** Runs a transaction for one slice. @returns the reason for the pause; undefined when the transaction has finished */
export function advance(running: RunningTransaction): Pause | undefined {
  if (running.advance(SLICE_GAS)) return undefined;
  return running.isAtLongStep ? 'longStepAhead' : 'sliceUsed';
}

/** Runs steps, each a fraction of a slice, with a pause after each. */
export function* runSteps<T>(steps: Generator<undefined, T>): Execution<T> {
  for (let step = steps.next(); ; step = steps.next()) {
    if (step.done) return step.value;
    yield 'sliceUsed';
  }
}
