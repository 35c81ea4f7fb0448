/** Error of an invalid block; the message names the violation. */
export class BlockError extends Error {
  constructor(message: string) {
    super(message);
    this.name = 'BlockError';
  }
}

/** Error of a block that may be valid but needs more memory than this EVM has. */
export class EvmMemoryError extends BlockError {
  constructor(message: string) {
    super(message);
    this.name = 'EvmMemoryError';
  }
}
