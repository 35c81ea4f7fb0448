/** A block that does not belong on the chain; the message says what is wrong with it. */
export class BlockError extends Error {
  constructor(message: string) {
    super(message);
    this.name = 'BlockError';
  }
}
