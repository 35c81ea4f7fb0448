/** What is wrong with a transaction, where simulations say it by a code. */
export type TransactionProblem =
  | 'nonceTooHigh'
  | 'nonceTooLow'
  | 'tipAboveFeeCap'
  | 'feeCapTooLow'
  | 'insufficientFunds'
  | 'intrinsicGas'
  | 'initCodeSize'
  | 'other';

/** A transaction that cannot be executed at all; the message is geth's text (core/error.go). */
export class TransactionError extends Error {
  readonly problem: TransactionProblem;

  constructor(message: string, problem: TransactionProblem = 'other') {
    super(message);
    this.name = 'TransactionError';
    this.problem = problem;
  }
}
