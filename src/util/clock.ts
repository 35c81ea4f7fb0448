/** Time and timers. A clock is passed as a parameter, so that a test can provide its own. */
export interface Clock {
  /** Returns the time of a monotonic clock, milliseconds. */
  now(): number;
  /**
   * Runs `task` once, `ms` from now.
   * @returns a function that cancels the task; it has no effect after the task has run
   */
  schedule(task: () => void, ms: number): () => void;
}

/** The clock of the process. Timers of this clock do not keep the process alive. */
export const systemClock: Clock = {
  now: () => performance.now(),
  schedule(task, ms) {
    const timer = setTimeout(task, ms);
    timer.unref();
    return () => clearTimeout(timer);
  },
};
