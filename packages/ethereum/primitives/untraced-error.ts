/** Holds V8's limit on the stack frames that an error captures at construction. */
const settings = Error as typeof Error & { stackTraceLimit: number };

/** Error that is an expected outcome, not a defect. No stack is captured, since a stack would cost more than the rest of a response. */
export class UntracedError extends Error {
  constructor(message: string) {
    const limit = settings.stackTraceLimit;
    settings.stackTraceLimit = 0;
    super(message);
    settings.stackTraceLimit = limit;
  }
}
