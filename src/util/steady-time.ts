/**
 * Minimum difference between system and monotonic clock that counts as a jump, milliseconds: corrections of a
 * running clock are smaller.
 */
const JUMP_MS = 1_000;
/** Time after which a jump that was not reverted is followed, ms. */
const CONFIRM_MS = 10 * 60_000;

/**
 * Creates a clock of the system time in Unix milliseconds without its jumps: a clock that is wrong temporarily
 * changes nothing, one that stays where it has jumped to is followed after ten minutes. A process that starts while
 * the clock is wrong begins with the wrong time.
 * @param wallTime Unix milliseconds
 * @param now a monotonic clock in milliseconds
 */
export function createSteadyTime(wallTime: () => number, now: () => number): () => number {
  /** System time minus monotonic time. */
  let offset = wallTime() - now();
  let jumpedAt: number | undefined;
  return () => {
    const time = now();
    const shown = wallTime();
    const isNear = Math.abs(shown - time - offset) <= JUMP_MS;
    if (!isNear) {
      jumpedAt ??= time;
      if (time - jumpedAt < CONFIRM_MS) return Math.round(time + offset);
    }
    offset = shown - time;
    jumpedAt = undefined;
    return shown;
  };
}

/** The steady time of this process. */
export const steadyTime: () => number = createSteadyTime(
  () => Date.now(),
  () => performance.now(),
);
