import type { RunningTransaction, TransactionResult } from '../transition/apply-transaction.ts';

/** Why work pauses: it was its turn for long enough, or what comes next may take long and cannot be cut. */
export type Pause = 'sliceUsed' | 'longStepAhead';

/** Work that pauses of itself, several times a millisecond: `next` runs the next piece of it, `return` gives it up. */
export type Execution<T> = Generator<Pause, T, undefined>;

/** Gas between two pauses: 0.04 ms of ordinary code, 0.7 ms of the slowest. */
export const SLICE_GAS = 50_000n;

/** Runs a transaction to its end, a slice at a time. */
export function* runInSlices(
  running: RunningTransaction,
  sliceGas: bigint = SLICE_GAS,
): Execution<TransactionResult> {
  while (!running.advance(sliceGas)) yield running.isAtLongStep() ? 'longStepAhead' : 'sliceUsed';
  return running.finish();
}
