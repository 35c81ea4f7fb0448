import type { RunningTransaction, TransactionResult } from '../transition/apply-transaction.ts';

/** Work that pauses of itself every few milliseconds: `next` runs the next piece of it. */
export type Execution<T> = Generator<undefined, T, undefined>;

/** Gas that is run in one piece: 1 to 3 ms of ordinary code. */
export const SLICE_GAS = 1_000_000n;

/** Runs a transaction to its end, a slice at a time. */
export function* runInSlices(running: RunningTransaction): Execution<TransactionResult> {
  while (!running.advance(SLICE_GAS)) yield;
  return running.finish();
}
