/** Problems of a transaction that have their own error codes in simulations. */
export type TransactionProblem =
  | 'nonceTooHigh'
  | 'nonceTooLow'
  | 'tipAboveFeeCap'
  | 'feeCapTooLow'
  | 'insufficientFunds'
  | 'intrinsicGas'
  | 'initCodeSize'
  | 'other';

/** Error of a transaction that cannot be executed; the message is geth's text (core/error.go). */
export class TransactionError extends Error {
  readonly problem: TransactionProblem;

  constructor(message: string, problem: TransactionProblem = 'other') {
    super(message);
    this.name = 'TransactionError';
    this.problem = problem;
  }
}
