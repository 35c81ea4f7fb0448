/** Interval between polls around the time at which a block is due, as a fraction of the block time. */
const DUE_FACTOR = 1 / 16;
/** Number of frequent polls before a block is due. If the first frequent poll already finds the block, the next frequent polls start earlier. */
const POLLS_BEFORE = 2;
/** Number of frequent polls after a block is due. After these polls the block counts as delayed, and the usual interval applies again. */
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
 * Returns the poll interval while a request waits for the next block, ms. Polls are frequent around the time at which the block is due. With polls
 * only at half the block time, a block would be found with a mean delay of a quarter of the block time.
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
