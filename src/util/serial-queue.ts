/** Runs pieces of work one after the other, in the order of their requests. */
export class SerialQueue {
  #last: Promise<unknown> = Promise.resolve();

  /** Runs the work when all earlier work has ended, whether or not that failed. */
  run<T>(work: () => T | Promise<T>): Promise<T> {
    const done = this.#last.then(work);
    this.#last = done.catch(() => {});
    return done;
  }
}
