import type { Chain } from '../../chain/chain.ts';
import { ChainError } from '../../chain/errors.ts';
import type { CallRequest } from '../../chain/requests.ts';
import type { RequestScope } from '../../util/request-scope.ts';
import { readQuantity } from '../answers.ts';
import { findNonce } from '../estimate/find-nonce.ts';
import { pinBlock } from '../estimate/pin-block.ts';
import { type Basics, readBasics } from '../estimate/read-basics.ts';
import { encodeSigningBytes, inferPayloadType } from '../estimate/signing-payload.ts';
import type { GasEstimate } from '../rollup-family.ts';
import { boundCompressedSize } from './compressed-size.ts';
import { type LineaPricing, parseLineaExtraData } from './extra-data.ts';
import { computeLineaCompatibilityFee, computeLineaPriorityFee } from './fee.ts';

const SENDER_LENGTH = 20;

/**
 * Computes gas, base fee and Linea's profitability fee for a call from one block, for chains without `linea_estimateGas`.
 * @throws ChainError if the block is unknown, the call fails, or the block has no usable prices
 */
export async function estimateLineaGas(
  chain: Chain,
  request: CallRequest,
  scope: RequestScope,
): Promise<GasEstimate> {
  return (await priceLineaCall(chain, request, scope)).estimate;
}

/** Estimate, and the prices in the header; `pricing` is undefined if the estimate uses the chain's gas price. */
type PricedCall = { readonly estimate: GasEstimate; readonly pricing: LineaPricing | undefined };

/** Computes the result of `estimateLineaGas`, and returns the prices that it uses. @throws ChainError as `estimateLineaGas` */
export async function priceLineaCall(
  chain: Chain,
  request: CallRequest,
  scope: RequestScope,
): Promise<PricedCall> {
  inferPayloadType(request.call);
  const pinned = await pinBlock(chain, request.block, scope);
  const [basics, nonce] = await Promise.all([
    readBasics(chain, request, pinned, scope),
    findNonce(chain, request, pinned, scope),
  ]);
  const { header, gasLimit, baseFeePerGas } = basics;
  if (baseFeePerGas === undefined) throw new ChainError('failed', 'Not on a baseFee market');

  const pricing = parseLineaExtraData(header.extraData);
  if (pricing === undefined) {
    const priorityFeePerGas = await findCompatibilityFee(chain, basics, scope);
    return { estimate: { gasLimit, baseFeePerGas, priorityFeePerGas }, pricing };
  }
  const defaults = { chainId: chain.chainId, nonce, gasLimit, gasPrice: baseFeePerGas };
  const payload = encodeSigningBytes(request.call, defaults);
  const size = boundCompressedSize(SENDER_LENGTH + payload.length);
  const priorityFeePerGas = computeLineaPriorityFee(pricing, size, gasLimit);
  return { estimate: { gasLimit, baseFeePerGas, priorityFeePerGas }, pricing };
}

/**
 * Derives the priority fee from the chain's gas price if the header has no prices, because a fee of zero would be a guess.
 * @throws ChainError if neither the header nor the chain's gas price is usable
 */
async function findCompatibilityFee(
  chain: Chain,
  { header, baseFeePerGas = 0n }: Basics,
  scope: RequestScope,
): Promise<bigint> {
  const message = `no Linea pricing in extraData of block ${header.number} and no usable gas price`;
  const answer = await chain.fees.getGasPrice(scope);
  if (answer === null) throw new ChainError('failed', message);
  const fee = computeLineaCompatibilityFee(readQuantity(answer, message), baseFeePerGas);
  if (fee === 0n) throw new ChainError('failed', message);
  return fee;
}
