/** A transaction that cannot be executed at all; the message is geth's text (core/error.go). */
export class TransactionError extends Error {
  constructor(message: string) {
    super(message);
    this.name = 'TransactionError';
  }
}
