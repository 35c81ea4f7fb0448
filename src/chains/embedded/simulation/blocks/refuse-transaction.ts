import type {
  TransactionError,
  TransactionProblem,
} from '../../../../../packages/evm/transition/transaction-error.ts';
import { ChainError, type SimulationRefusal } from '../../../../chain/errors.ts';

/** geth's error codes for invalid transactions (internal/ethapi/errors.go). */
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

/** Converts the error of an invalid transaction to the error of the whole simulation. */
export function refuseTransaction({ message, problem }: TransactionError, gasLimit: bigint): ChainError {
  return new ChainError(REFUSALS[problem], `err: ${message} (supplied gas ${gasLimit})`);
}
