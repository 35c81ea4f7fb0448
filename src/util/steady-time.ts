/**
 * Minimum difference between the system clock and the monotonic clock that counts as a jump, milliseconds. Ordinary corrections of a system clock are
 * smaller.
 */
const JUMP_MS = 1_000;
/** Time after which the steady clock follows a jump that was not reverted, ms. */
const CONFIRM_MS = 10 * 60_000;

/**
 * Creates a clock of the system time in Unix milliseconds, without the jumps of the system clock. A system clock that is wrong for a short time has
 * no effect. If the system clock does not jump back, the created clock follows the jump after ten minutes. A process that starts while the system
 * clock is wrong begins with the wrong time.
 * @param wallTime system clock, Unix milliseconds
 * @param now a monotonic clock in milliseconds
 */
export function createSteadyTime(wallTime: () => number, now: () => number): () => number {
  /** System time minus monotonic time, ms. */
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

/** Steady clock of this process, Unix ms. */
export const steadyTime: () => number = createSteadyTime(
  () => Date.now(),
  () => performance.now(),
);
