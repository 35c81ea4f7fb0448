import { ChainError } from '../../../chain/errors.ts';
import type { CallObject } from '../../../chain/requests.ts';

/**
 * Rejects calls that geth's `CallDefaults` rejects. As in geth, this check comes after the checks of block and overrides.
 * @throws ChainError with geth's texts
 */
export function checkCall(call: CallObject, chainId: bigint): void {
  if (
    call.gasPrice !== undefined &&
    (call.maxFeePerGas !== undefined || call.maxPriorityFeePerGas !== undefined)
  ) {
    throw new ChainError('failed', 'both gasPrice and (maxFeePerGas or maxPriorityFeePerGas) specified');
  }
  if (call.to === undefined && call.blobVersionedHashes !== undefined) {
    throw new ChainError('failed', 'blob transaction of type create');
  }
  if (call.to === undefined && call.authorizationList !== undefined) {
    throw new ChainError('failed', 'EIP-7702 transaction cannot be used to create contract');
  }
  if (call.chainId === undefined) return;
  const have = BigInt(call.chainId);
  if (have !== chainId) {
    throw new ChainError('failed', `chainId does not match node's (have=${have}, want=${chainId})`);
  }
}
