import { encodeQuantity } from '../../../packages/ethereum/primitives/quantity.ts';
import type { Chain } from '../../chain/chain.ts';
import type { BlockReference, CallObject, CallRequest } from '../../chain/requests.ts';
import type { RequestScope } from '../../util/request-scope.ts';
import { findNonce } from './find-nonce.ts';
import { deriveTip, findSuggestedTip } from './find-tip.ts';
import type { EstimateBlock } from './pin-block.ts';
import { readBasics } from './read-basics.ts';
import { inferPayloadType, type PayloadDefaults } from './signing-payload.ts';

/** Placeholder for an unknown tip: the least that op-geth suggests, in wei. */
const LEAST_TIP = 1_000_000n;

/** Transaction data known before the chain's fee contracts are called. */
export type Draft = {
  readonly gasLimit: bigint;
  readonly baseFeePerGas: bigint;
  /** Resolves the tip; called with the next round of requests, because it sends one if the chain has no suggestion. */
  readonly findTip: () => Promise<bigint>;
  /** Call with fees, and the other values that its transaction needs. */
  readonly call: CallObject;
  readonly defaults: PayloadDefaults;
  readonly reference: BlockReference;
};

/**
 * Sends the first round of requests: gas, base fee, tip and nonce, all at one block.
 * @throws ChainError `invalid`, before any request is sent, for transaction types that rollups do not have
 */
export async function draftTransaction(
  chain: Chain,
  request: CallRequest,
  pinned: EstimateBlock,
  scope: RequestScope,
): Promise<Draft> {
  inferPayloadType(request.call);
  const [{ gasLimit, baseFeePerGas = 0n }, suggested, nonce] = await Promise.all([
    readBasics(chain, request, pinned, scope),
    findSuggestedTip(chain, scope),
    findNonce(chain, request, pinned, scope),
  ]);
  const defaults = { chainId: chain.chainId, nonce, gasLimit, gasPrice: baseFeePerGas };
  const call = withFees(request.call, baseFeePerGas, suggested ?? LEAST_TIP);
  const findTip = async (): Promise<bigint> => suggested ?? deriveTip(chain, baseFeePerGas, scope);
  return { gasLimit, baseFeePerGas, findTip, call, defaults, reference: pinned.reference };
}

/** Fills in the fees that wallets set: room for twice the base fee. */
function withFees(call: CallObject, baseFeePerGas: bigint, tip: bigint): CallObject {
  if (call.gasPrice !== undefined) return call;
  return {
    maxFeePerGas: encodeQuantity(2n * baseFeePerGas + tip),
    maxPriorityFeePerGas: encodeQuantity(tip),
    ...call,
  };
}
