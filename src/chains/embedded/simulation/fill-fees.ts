import { encodeQuantity } from '../../../../packages/ethereum/primitives/quantity.ts';
import type { BlockEnvironment } from '../../../../packages/evm/interpreter/message.ts';
import type { BlockRules } from '../../../../packages/evm/transition/rules.ts';
import { ChainError } from '../../../chain/errors.ts';
import type { CallObject } from '../../../chain/requests.ts';

type Fees = Pick<CallObject, 'gasPrice' | 'maxFeePerGas' | 'maxPriorityFeePerGas' | 'maxFeePerBlobGas'>;

/** Returns whether a suggested priority fee is required to complete the fees of a call. */
export function needsTip({ gasPrice, maxFeePerGas, maxPriorityFeePerGas, maxFeePerBlobGas }: Fees): boolean {
  if (gasPrice !== undefined || maxPriorityFeePerGas !== undefined) return false;
  return maxFeePerGas !== undefined || maxFeePerBlobGas !== undefined;
}

/**
 * Completes partially specified fees of an `eth_createAccessList` call, as geth's `setFeeDefaults` does.
 * @param suggestedTip suggested priority fee, wei per gas; used only if `needsTip` returns true
 * @throws ChainError with geth's texts
 */
export function fillFees(
  call: CallObject,
  { baseFeePerGas = 0n, blobBaseFee }: Pick<BlockEnvironment, 'baseFeePerGas' | 'blobBaseFee'>,
  { revision }: BlockRules,
  suggestedTip: bigint,
): CallObject {
  const { gasPrice, maxFeePerGas, maxPriorityFeePerGas, maxFeePerBlobGas } = call;
  const provided = gasPrice ?? maxFeePerGas ?? maxPriorityFeePerGas ?? maxFeePerBlobGas;
  if (provided === undefined) return call;
  if (maxFeePerBlobGas !== undefined && BigInt(maxFeePerBlobGas) === 0n) {
    throw new ChainError('failed', 'maxFeePerBlobGas, if specified, must be non-zero');
  }
  const needsBlobFee =
    revision.hasBlobs && call.blobVersionedHashes !== undefined && maxFeePerBlobGas === undefined;
  const priced = needsBlobFee ? { ...call, maxFeePerBlobGas: encodeQuantity(blobBaseFee * 2n) } : call;
  checkPrice(call);
  const { hasBaseFee } = revision;
  if (gasPrice !== undefined) {
    if (BigInt(gasPrice) > 0n || !hasBaseFee) return priced;
    throw new ChainError('failed', 'gasPrice must be non-zero after london fork');
  }
  if (maxFeePerGas !== undefined && maxPriorityFeePerGas !== undefined) {
    if (BigInt(maxFeePerGas) === 0n) throw new ChainError('failed', 'maxFeePerGas must be non-zero');
    checkOrder(maxFeePerGas, maxPriorityFeePerGas);
    return priced;
  }
  if (!hasBaseFee) return { ...priced, gasPrice: priceBeforeLondon(call, suggestedTip) };
  const tip = maxPriorityFeePerGas ?? encodeQuantity(suggestedTip);
  const cap = maxFeePerGas ?? encodeQuantity(BigInt(tip) + baseFeePerGas * 2n);
  checkOrder(cap, tip);
  return { ...priced, maxFeePerGas: cap, maxPriorityFeePerGas: tip };
}

function checkPrice({ gasPrice, maxFeePerGas, maxPriorityFeePerGas, authorizationList }: CallObject): void {
  if (gasPrice === undefined) return;
  if (maxFeePerGas !== undefined || maxPriorityFeePerGas !== undefined) {
    throw new ChainError('failed', 'both gasPrice and (maxFeePerGas or maxPriorityFeePerGas) specified');
  }
  if (authorizationList !== undefined) {
    throw new ChainError('failed', 'both gasPrice and authorizationList specified');
  }
}

function checkOrder(cap: string, tip: string): void {
  if (BigInt(cap) >= BigInt(tip)) return;
  throw new ChainError('failed', `maxFeePerGas (${cap}) < maxPriorityFeePerGas (${tip})`);
}

function priceBeforeLondon({ maxFeePerGas, maxPriorityFeePerGas }: Fees, suggestedTip: bigint): string {
  if (maxFeePerGas === undefined && maxPriorityFeePerGas === undefined) return encodeQuantity(suggestedTip);
  throw new ChainError(
    'failed',
    'maxFeePerGas and maxPriorityFeePerGas are not valid before London is active',
  );
}
