/** Stands for an outcome that did not come in time. */
export const LATE: unique symbol = Symbol('late');

/** The outcome of `work`, or LATE when it takes longer than `limitMs`; what comes of it then is dropped. */
export function settleWithin<T>(work: Promise<T>, limitMs: number): Promise<T | typeof LATE> {
  return new Promise((resolve, reject) => {
    // Timers run before input is read: on a busy event loop the outcome may be there, unread. It is read first.
    const timer = setTimeout(() => setImmediate(() => resolve(LATE)), limitMs);
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
