import type { JsonText } from '../../packages/ethereum/primitives/json-result.ts';
import type { PromiseOrValue } from '../../packages/ethereum/primitives/promise-or-value.ts';
import type { HeaderView } from '../chain/chain.ts';
import type { CallObject } from '../chain/requests.ts';
import { RpcError } from '../rpc/errors.ts';
import type { MethodContext } from './method-context.ts';
import { requireAnswer } from './require-answer.ts';

/** Fees of a transaction, wei per gas: a legacy gas price, or the EIP-1559 pair. */
export type FilledFees = (
  | { readonly gasPrice: bigint }
  | { readonly maxFeePerGas: bigint; readonly maxPriorityFeePerGas: bigint }
) & { readonly maxFeePerBlobGas?: bigint };

const MAX_FEE = 2n ** 256n - 1n;

/**
 * Returns the fees of a transaction, and fills in missing fees as geth does. A missing tip becomes the suggested tip. A missing fee cap becomes the tip plus
 * twice the head's base fee.
 * @param head header that supplies the base fee
 * @throws (or rejects with) RpcError in geth's words for fees that contradict each other
 */
export async function completeFees(
  call: CallObject,
  head: HeaderView,
  context: MethodContext,
): Promise<FilledFees> {
  if (isZero(call.maxFeePerBlobGas)) throw refuse('maxFeePerBlobGas, if specified, must be non-zero');
  const maxFeePerBlobGas = await fillBlobFee(call, context);
  const blobFee = maxFeePerBlobGas === undefined ? {} : { maxFeePerBlobGas };
  return { ...(await fillGasFees(call, head, context)), ...blobFee };
}

async function fillGasFees(
  { gasPrice, maxFeePerGas, maxPriorityFeePerGas, authorizationList }: CallObject,
  { baseFeePerGas }: HeaderView,
  context: MethodContext,
): Promise<FilledFees> {
  const hasDynamicFee = maxFeePerGas !== undefined || maxPriorityFeePerGas !== undefined;
  if (gasPrice !== undefined) {
    if (hasDynamicFee) throw refuse('both gasPrice and (maxFeePerGas or maxPriorityFeePerGas) specified');
    if (authorizationList !== undefined) throw refuse('both gasPrice and authorizationList specified');
    if (isZero(gasPrice) && baseFeePerGas !== undefined)
      throw refuse('gasPrice must be non-zero after london fork');
    return { gasPrice: BigInt(gasPrice) };
  }
  const isComplete = maxFeePerGas !== undefined && maxPriorityFeePerGas !== undefined;
  if (isComplete && isZero(maxFeePerGas)) throw refuse('maxFeePerGas must be non-zero');
  if (!isComplete && baseFeePerGas === undefined) {
    if (hasDynamicFee)
      throw refuse('maxFeePerGas and maxPriorityFeePerGas are not valid before London is active');
    return { gasPrice: await readPrice('eth_gasPrice', 'getGasPrice', context) };
  }
  const tip =
    maxPriorityFeePerGas === undefined
      ? await readPrice('eth_maxPriorityFeePerGas', 'getPriorityFee', context)
      : BigInt(maxPriorityFeePerGas);
  const cap = maxFeePerGas === undefined ? tip + 2n * (baseFeePerGas ?? 0n) : BigInt(maxFeePerGas);
  if (cap > MAX_FEE) throw refuse('maxPriorityFeePerGas is too high: maxFeePerGas would exceed 256 bits');
  if (cap < tip)
    throw refuse(`maxFeePerGas (0x${cap.toString(16)}) < maxPriorityFeePerGas (0x${tip.toString(16)})`);
  return { maxFeePerGas: cap, maxPriorityFeePerGas: tip };
}

/**
 * Returns the blob fee cap: the call's own, or twice the current blob base fee for a blob transaction. If the call has no cap of its own, returns
 * undefined for a transaction without blobs, and on a chain without a blob base fee.
 */
async function fillBlobFee(
  { maxFeePerBlobGas, blobVersionedHashes }: CallObject,
  { network, scope }: MethodContext,
): Promise<bigint | undefined> {
  if (maxFeePerBlobGas !== undefined) return BigInt(maxFeePerBlobGas);
  if (blobVersionedHashes === undefined) return undefined;
  const price = await network.chain.fees.getBlobBaseFee(scope);
  return price === null || price === 'null' ? undefined : 2n * readQuantityText(price);
}

async function readPrice(
  method: string,
  operation: 'getGasPrice' | 'getPriorityFee',
  { network, scope }: MethodContext,
): Promise<bigint> {
  const price: PromiseOrValue<JsonText | null> = network.chain.fees[operation](scope);
  return readQuantityText((await requireAnswer(method, price)) as JsonText);
}

/** Decodes a quantity from its JSON string, quotes included. */
export function readQuantityText(quantity: JsonText): bigint {
  return BigInt(quantity.slice(1, -1));
}

function isZero(quantity: string | undefined): boolean {
  return quantity !== undefined && BigInt(quantity) === 0n;
}

/** Creates an error with geth's general code, `serverError`. */
export function refuse(message: string): RpcError {
  return new RpcError('serverError', message);
}
