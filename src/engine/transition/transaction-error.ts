/** A transaction that cannot be executed at all; the message is geth's text (core/error.go). */
export class TransactionError extends Error {
  constructor(message: string) {
    super(message);
    this.name = 'TransactionError';
  }
}

/** The gas limit is below what any execution of the transaction costs. */
export class IntrinsicGasError extends TransactionError {
  constructor(gasLimit: bigint, intrinsicGas: bigint) {
    super(`intrinsic gas too low: have ${gasLimit}, want ${intrinsicGas}`);
  }
}
