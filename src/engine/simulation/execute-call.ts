import { ChainError } from '../../chain/errors.ts';
import { minBigInt } from '../../primitives/bigint.ts';
import { bytesToHex } from '../../primitives/hex.ts';
import type { TransactionResult } from '../transition/apply-transaction.ts';
import { TransactionError } from '../transition/transaction-error.ts';
import { type Execution, runInSlices } from './execution.ts';
import { MAX_CALL_GAS, type Simulation } from './simulator.ts';

/** A failed execution as the error that its caller sees. */
export function toChainError(result: TransactionResult): ChainError {
  if (result.status === 'revert') {
    return new ChainError('reverted', 'execution reverted', bytesToHex(result.output));
  }
  return new ChainError('failed', result.reason);
}

/**
 * Runs a message call.
 * @param gasLimit gas when the call gives none
 * @returns the return data
 * @throws ChainError with geth's texts
 */
export function* executeCall(simulation: Simulation, gasLimit: bigint): Execution<Uint8Array> {
  const { gas: asked } = simulation.call;
  const gas = minBigInt(asked === undefined ? gasLimit : BigInt(asked), MAX_CALL_GAS);
  try {
    const result = yield* runInSlices(simulation.start(gas));
    if (result.status !== 'success') throw toChainError(result);
    return result.output;
  } catch (error) {
    if (!(error instanceof TransactionError)) throw error;
    throw new ChainError('failed', `err: ${error.message} (supplied gas ${gas})`);
  }
}
