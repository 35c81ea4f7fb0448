/** Interval of the polls around the time at which a block is due, as a part of the block time. */
const DUE_FACTOR = 1 / 16;
/** Number of these polls before the block is due: if the first of them already finds the block, the next series starts earlier. */
const POLLS_BEFORE = 2;
/** Number of these polls after the time at which the block is due; after them, the block counts as late. */
const POLLS_AFTER = 6;

export type PollInterval = {
  /** Block time, ms. */
  readonly blockTime: number;
  /** Bounds of the poll interval, ms. */
  readonly min: number;
  readonly max: number;
};

/** Returns the usual poll interval, ms: half the block time. */
export function pausePolls({ blockTime, min, max }: PollInterval): number {
  return Math.min(Math.max(blockTime / 2, min), max);
}

/**
 * Returns the poll interval while a request waits for the next block, ms. If blocks come at a steady rate, polls are close together around the time
 * at which the block is due. Polls at half the block time alone would find a block late by a quarter of the block time on average.
 * @param sinceHead time since the last head was first seen, ms
 */
export function pauseUntilDue(pace: PollInterval, sinceHead: number): number {
  const usual = pausePolls(pace);
  const close = Math.min(Math.max(pace.blockTime * DUE_FACTOR, pace.min), usual);
  const untilDue = pace.blockTime - sinceHead;
  if (untilDue < -POLLS_AFTER * close) return usual;
  const untilFirst = untilDue - POLLS_BEFORE * close;
  return untilFirst <= 0 ? close : Math.max(close, Math.min(usual, untilFirst));
}
