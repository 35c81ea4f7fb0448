import { ChainError, type SimulationRefusal } from '../../../chain/errors.ts';
import type { TransactionError, TransactionProblem } from '../../transition/transaction-error.ts';

/** geth's codes for what may not be a transaction (internal/ethapi/errors.go). */
const REFUSALS: Readonly<Record<TransactionProblem, 'invalid' | SimulationRefusal>> = {
  nonceTooHigh: 'nonceTooHigh',
  nonceTooLow: 'nonceTooLow',
  tipAboveFeeCap: 'invalid',
  feeCapTooLow: 'feeCapTooLow',
  insufficientFunds: 'insufficientFunds',
  intrinsicGas: 'intrinsicGas',
  initCodeSize: 'initCodeSize',
  other: 'invalidSimulation',
};

/** The error of a simulation for a call that is not a valid transaction. */
export function refuseTransaction({ message, problem }: TransactionError, gasLimit: bigint): ChainError {
  return new ChainError(REFUSALS[problem], `err: ${message} (supplied gas ${gasLimit})`);
}
