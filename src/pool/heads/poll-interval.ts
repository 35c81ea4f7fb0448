/** Spacing of polls around the time when a block is due, as a part of the block time. */
const DUE_FACTOR = 1 / 16;
/** Number of such polls before the block is due: where the first of them finds it, the next series starts earlier. */
const POLLS_BEFORE = 2;
/** Number of such polls after the block is due, until it counts as late. */
const POLLS_AFTER = 6;

export type PollInterval = {
  /** Block time, milliseconds. */
  readonly blockTime: number;
  /** Bounds of the poll interval, milliseconds. */
  readonly min: number;
  readonly max: number;
};

/** Returns the usual poll interval in milliseconds: half the block time. */
export function pausePolls({ blockTime, min, max }: PollInterval): number {
  return Math.min(Math.max(blockTime / 2, min), max);
}

/**
 * Returns the poll interval in milliseconds while a request waits for the next block: where blocks come at a steady rate, polls are close together around the
 * time when it is due. With polls at half the block time alone, a block is seen a quarter of the block time late on average.
 * @param sinceHead milliseconds since the last head was first seen
 */
export function pauseUntilDue(pace: PollInterval, sinceHead: number): number {
  const usual = pausePolls(pace);
  const close = Math.min(Math.max(pace.blockTime * DUE_FACTOR, pace.min), usual);
  const untilDue = pace.blockTime - sinceHead;
  if (untilDue < -POLLS_AFTER * close) return usual;
  const untilFirst = untilDue - POLLS_BEFORE * close;
  return untilFirst <= 0 ? close : Math.max(close, Math.min(usual, untilFirst));
}
