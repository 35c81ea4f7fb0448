/** Time, and being called later: injected, so that a test can bring its own. */
export interface Clock {
  /** Monotonic milliseconds. */
  now(): number;
  /** Runs `task` once, `ms` from now. Returns how to call it off; harmless afterwards. */
  schedule(task: () => void, ms: number): () => void;
}

/** The clock of the process. What it has scheduled keeps no process alive. */
export const systemClock: Clock = {
  now: () => performance.now(),
  schedule(task, ms) {
    const timer = setTimeout(task, ms);
    timer.unref();
    return () => clearTimeout(timer);
  },
};
