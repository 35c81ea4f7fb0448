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

/** Minimum interval between polls that cost credits, ms. On a faster chain, each poll finds several blocks. */
const MIN_PRICED_MS = 1_000;
/** Maximum interval between polls that cost credits, ms. A node that has stopped to answer is found after two polls. */
const MAX_PRICED_MS = 15_000;
/** Interval between polls that cost credits around the time at which a block is due, as a fraction of the block time. */
const PRICED_DUE_FACTOR = 1 / 8;
/** Interval between polls of a node that only shows that the node can still answer, ms; half of the default of `maxLagTime`. */
const IDLE_MS = 15_000;

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

/**
 * Returns the poll interval of a node whose polls cost credits, ms. Polls begin shortly before a block is due, because a poll in the meantime finds
 * nothing: two polls find a block after an eighth of the block time at most.
 * @param sinceHead time since the last head was first seen, ms
 */
export function pausePricedPolls(pace: PollInterval, sinceHead: number): number {
  const close = Math.max(pace.blockTime * PRICED_DUE_FACTOR, pace.min, MIN_PRICED_MS);
  const longest = Math.max(pace.min, MAX_PRICED_MS);
  const untilDue = pace.blockTime - sinceHead;
  if (untilDue < -POLLS_AFTER * close) return Math.min(Math.max(close, pausePolls(pace)), longest);
  return Math.min(Math.max(untilDue - close, close), longest);
}

/**
 * Returns the poll interval of a node whose head does not count while other nodes answer, ms.
 * @param maxLagMs lag at which a node no longer counts as up to date; polls alone must not make the node reach it
 */
export function pauseIdlePolls(pace: PollInterval, maxLagMs: number): number {
  return Math.max(Math.min(IDLE_MS, maxLagMs / 2), pausePolls(pace));
}
