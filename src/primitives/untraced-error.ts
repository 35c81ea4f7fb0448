/** V8's setting: how many frames of the stack an error notes when it is made. */
const settings = Error as typeof Error & { stackTraceLimit: number };

/**
 * An error that is an expected outcome, not a defect: it captures no stack, which would cost more than the rest
 * of an answer.
 */
export class UntracedError extends Error {
  constructor(message: string) {
    const limit = settings.stackTraceLimit;
    settings.stackTraceLimit = 0;
    super(message);
    settings.stackTraceLimit = limit;
  }
}
