import {
  type BlockReference,
  type CallRequest,
  type CallScope,
  type Chain,
  type HeaderView,
  UNSUPPORTED,
} from '../chain/chain.ts';
import { ChainError } from '../chain/errors.ts';
import { encodeQuantity } from '../primitives/quantity.ts';
import { readQuantity } from './answers.ts';
import { boundCompressedSize } from './compressed-size.ts';
import { parseLineaExtraData } from './linea-extra-data.ts';
import { computeLineaCompatibilityFee, computeLineaPriorityFee } from './linea-fee.ts';
import type { GasEstimate } from './rollup-family.ts';
import { encodeSigningPayload, inferPayloadType } from './signing-payload.ts';

const SENDER_LENGTH = 20;

/** A header and the reference that goes on meaning the same block. */
type PinnedBlock = { readonly header: HeaderView; readonly reference: BlockReference };

/**
 * Gas, base fee and Linea's profitability fee for one call, all read from one block.
 * @throws ChainError when the block is unknown, the call fails, or the block carries no usable prices.
 */
export async function estimateLineaGas(
  chain: Chain,
  request: CallRequest,
  scope: CallScope,
): Promise<GasEstimate> {
  inferPayloadType(request.call);
  const { header, reference } = await pinBlock(chain, request.block, scope);
  const baseFeePerGas = readBaseFee(header, request);
  const pinned: CallRequest = { ...request, block: reference };
  const [answer, nonce] = await Promise.all([
    chain.estimateGas(pinned, scope),
    findNonce(chain, pinned, header, scope),
  ]);
  const gasLimit = readQuantity(answer, 'gas estimate is not a quantity', 64);
  if (gasLimit === 0n) throw new ChainError('failed', 'gas estimate is zero');

  const pricing = parseLineaExtraData(header.extraData);
  if (pricing === undefined) {
    const priorityFeePerGas = await findCompatibilityFee(chain, header, baseFeePerGas, scope);
    return { gasLimit, baseFeePerGas, priorityFeePerGas };
  }
  const defaults = { chainId: chain.chainId, nonce, gasLimit, gasPrice: baseFeePerGas };
  const payload = encodeSigningPayload(request.call, defaults);
  const size = boundCompressedSize(SENDER_LENGTH + payload.length);
  return { gasLimit, baseFeePerGas, priorityFeePerGas: computeLineaPriorityFee(pricing, size, gasLimit) };
}

/** A chain that builds no pending block is priced on its latest one. */
async function pinBlock(chain: Chain, block: BlockReference, scope: CallScope): Promise<PinnedBlock> {
  let header = await chain.getHeader(block, scope);
  if (header === null && block.kind === 'tag' && block.tag === 'pending') {
    header = await chain.getHeader({ kind: 'tag', tag: 'latest' }, scope);
  }
  if (header === null) throw new ChainError('failed', 'header not found');
  if (block.kind === 'hash' || header.hash === undefined) return { header, reference: block };
  return { header, reference: { kind: 'hash', hash: header.hash, requireCanonical: false } };
}

function readBaseFee(header: HeaderView, request: CallRequest): bigint {
  const override = request.blockOverrides?.baseFeePerGas;
  if (override !== undefined) return BigInt(override);
  if (header.baseFeePerGas === undefined) throw new ChainError('failed', 'Not on a baseFee market');
  return header.baseFeePerGas;
}

/** The nonce only sizes the transaction: 0 stands in where the chain cannot tell. */
async function findNonce(
  chain: Chain,
  { call, stateOverrides }: CallRequest,
  header: HeaderView,
  scope: CallScope,
): Promise<bigint> {
  if (call.nonce !== undefined) return BigInt(call.nonce);
  if (call.from === undefined) return 0n;
  const override = stateOverrides?.[call.from.toLowerCase()]?.nonce;
  if (override !== undefined) return BigInt(override);
  const block = header.hash === undefined ? 'pending' : encodeQuantity(header.number);
  const answer = await chain.request('eth_getTransactionCount', [call.from, block], scope);
  return answer === UNSUPPORTED ? 0n : readQuantity(answer, 'Unable to query sender nonce', 64);
}

/** Without prices in the header only the chain's gas price can tell; a fee of zero would be a guess. */
async function findCompatibilityFee(
  chain: Chain,
  header: HeaderView,
  baseFeePerGas: bigint,
  scope: CallScope,
): Promise<bigint> {
  const message = `no Linea pricing in extraData of block ${header.number} and no usable gas price`;
  const answer = await chain.request('eth_gasPrice', [], scope);
  if (answer === UNSUPPORTED) throw new ChainError('failed', message);
  const fee = computeLineaCompatibilityFee(readQuantity(answer, message), baseFeePerGas);
  if (fee === 0n) throw new ChainError('failed', message);
  return fee;
}
