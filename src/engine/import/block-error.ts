/** A block that does not belong on the chain; the message says what is wrong with it. */
export class BlockError extends Error {
  constructor(message: string) {
    super(message);
    this.name = 'BlockError';
  }
}

/** A block that may be valid takes more memory than this program's EVM has. */
export class EvmMemoryError extends BlockError {
  constructor(message: string) {
    super(message);
    this.name = 'EvmMemoryError';
  }
}
