/** Result of work that has not completed in time. */
export const TIMED_OUT: unique symbol = Symbol('late');

/** Settles like `work`, or resolves to `TIMED_OUT` after `limitMs`. A later outcome is dropped. */
export function completeWithin<T>(work: Promise<T>, limitMs: number): Promise<T | typeof TIMED_OUT> {
  return new Promise((resolve, reject) => {
    // Node runs timers before it reads input. On a busy event loop, the outcome may have arrived without being read. `setImmediate` lets the event
    // loop read the outcome first.
    const timer = setTimeout(() => setImmediate(() => resolve(TIMED_OUT)), limitMs);
    work.then(
      (value) => {
        clearTimeout(timer);
        resolve(value);
      },
      (error: unknown) => {
        clearTimeout(timer);
        reject(error);
      },
    );
  });
}
