import { minBigInt } from '../../../../packages/ethereum/primitives/bigint.ts';
import { type HexData, toHexData } from '../../../../packages/ethereum/primitives/hex-data.ts';
import type { MessageOutcome } from '../../../../packages/evm/interpreter/message.ts';
import type { RunningTransaction } from '../../../../packages/evm/transition/running-transaction.ts';
import { TransactionError } from '../../../../packages/evm/transition/transaction-error.ts';
import { ChainError } from '../../../chain/errors.ts';
import { MAX_CALL_GAS, type Simulation } from './simulator.ts';

/** Converts a revert or a failure to the error that the client receives. */
export function toExecutionError({ status, reason, output }: MessageOutcome): ChainError {
  if (status === 'revert') return new ChainError('reverted', 'execution reverted', toHexData(output));
  return new ChainError('failed', reason);
}

/**
 * Starts a message call.
 * @param gasLimit gas of a call without `gas` field
 * @throws ChainError with geth's texts
 */
export function startCall(simulation: Simulation, gasLimit: bigint): RunningTransaction {
  const { gas: requested } = simulation.call;
  const gas = minBigInt(requested === undefined ? gasLimit : BigInt(requested), MAX_CALL_GAS);
  try {
    return simulation.start(gas);
  } catch (error) {
    if (!(error instanceof TransactionError)) throw error;
    throw new ChainError('failed', `err: ${error.message} (supplied gas ${gas})`);
  }
}

/** Returns the return data of a finished call. @throws ChainError with geth's texts */
export function finishCall(running: RunningTransaction): HexData {
  const { outcome } = running;
  if (outcome.status !== 'success') throw toExecutionError(outcome);
  return toHexData(outcome.output);
}
