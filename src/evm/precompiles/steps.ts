/** Work in pieces of about a millisecond at most: each `next` does one. Given up between two, it leaves nothing behind. */
export type Steps<T> = Generator<undefined, T, undefined>;

/** Does all of it at once. */
export function finishSteps<T>(steps: Steps<T>): T {
  while (true) {
    const { done, value } = steps.next();
    if (done) return value;
  }
}
