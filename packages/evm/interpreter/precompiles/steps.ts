/** Work in steps of at most about 1 ms; each `next` runs one step. Work that is abandoned between two steps leaves no state behind. */
export type Steps<T> = Generator<undefined, T, undefined>;

/** Runs all steps at once. */
export function finishSteps<T>(steps: Steps<T>): T {
  while (true) {
    const { done, value } = steps.next();
    if (done) return value;
  }
}
