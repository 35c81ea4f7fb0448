/** Error: invalid command line, reported as a message and exit code 2. */
export class UsageError extends Error {
  /** Name of the command, whose help the report points to; set by the command itself. */
  command: string | undefined;

  constructor(message: string) {
    super(message);
    this.name = 'UsageError';
  }
}
