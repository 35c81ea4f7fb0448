/** Polls around the time when a block is due are a sixteenth of the time between two blocks apart. */
const DUE_FACTOR = 1 / 16;
/** Such polls before the block is due: where the first of them finds it, the next one is looked for earlier. */
const POLLS_BEFORE = 2;
/** And after it, until it is taken for late. */
const POLLS_AFTER = 6;

export type PollPace = {
  /** Milliseconds between two blocks. */
  readonly blockTime: number;
  /** Bounds of the time between two polls, milliseconds. */
  readonly min: number;
  readonly max: number;
};

/** Milliseconds from one poll to the next: half the time between two blocks. */
export function pausePolls({ blockTime, min, max }: PollPace): number {
  return Math.min(Math.max(blockTime / 2, min), max);
}

/**
 * The same while something waits for the next block: where blocks come at a steady pace, polls are close together around the time when it
 * is due. With polls at half the pace alone a block is known a quarter of the block time late, on average.
 * @param sinceHead milliseconds since the last head was seen first
 */
export function pauseUntilDue(pace: PollPace, sinceHead: number): number {
  const usual = pausePolls(pace);
  const close = Math.min(Math.max(pace.blockTime * DUE_FACTOR, pace.min), usual);
  const untilDue = pace.blockTime - sinceHead;
  if (untilDue < -POLLS_AFTER * close) return usual;
  const untilFirst = untilDue - POLLS_BEFORE * close;
  return untilFirst <= 0 ? close : Math.max(close, Math.min(usual, untilFirst));
}
