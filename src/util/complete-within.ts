/** Result of work that did not settle in time. */
export const TIMED_OUT: unique symbol = Symbol('late');

/** Settles like `work`, or resolves to LATE after `limitMs`; a later outcome is dropped. */
export function completeWithin<T>(work: Promise<T>, limitMs: number): Promise<T | typeof TIMED_OUT> {
  return new Promise((resolve, reject) => {
    // Timers run before input is read: on a busy event loop the outcome may be available but unread. It is read
    // first.
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
