import { ChainError } from '../../chain/errors.ts';
import { minBigInt } from '../../primitives/bigint.ts';
import { bytesToHex } from '../../primitives/hex.ts';
import type { RunningTransaction, TransactionResult } from '../transition/apply-transaction.ts';
import { TransactionError } from '../transition/transaction-error.ts';
import { MAX_CALL_GAS, type Simulation } from './simulator.ts';

/** A failed execution as the error that its caller sees. */
export function toChainError(result: TransactionResult): ChainError {
  if (result.status === 'revert') {
    return new ChainError('reverted', 'execution reverted', bytesToHex(result.output));
  }
  return new ChainError('failed', result.reason);
}

/**
 * Begins a message call.
 * @param gasLimit gas when the call gives none
 * @throws ChainError with geth's texts
 */
export function startCall(simulation: Simulation, gasLimit: bigint): RunningTransaction {
  const { gas: asked } = simulation.call;
  const gas = minBigInt(asked === undefined ? gasLimit : BigInt(asked), MAX_CALL_GAS);
  try {
    return simulation.start(gas);
  } catch (error) {
    if (!(error instanceof TransactionError)) throw error;
    throw new ChainError('failed', `err: ${error.message} (supplied gas ${gas})`);
  }
}

/** The return data of a call that is done. @throws ChainError with geth's texts */
export function finishCall(running: RunningTransaction): Uint8Array {
  const result = running.finish();
  if (result.status !== 'success') throw toChainError(result);
  return result.output;
}
