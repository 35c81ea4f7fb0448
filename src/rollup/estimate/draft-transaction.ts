import { encodeQuantity } from '../../../packages/ethereum/primitives/quantity.ts';
import type { Chain } from '../../chain/chain.ts';
import type { BlockReference, CallObject, CallRequest } from '../../chain/requests.ts';
import type { RequestScope } from '../../util/request-scope.ts';
import { findNonce } from './find-nonce.ts';
import { deriveTip, findSuggestedTip } from './find-tip.ts';
import type { EstimateBlock } from './pin-block.ts';
import { readBasics } from './read-basics.ts';
import { inferPayloadType, type PayloadDefaults } from './signing-payload.ts';

/** Placeholder for an unknown tip: the minimum that op-geth suggests, in wei. */
const LEAST_TIP = 1_000_000n;

/** Transaction data that is known before the chain's fee contracts are called. */
export type Draft = {
  readonly gasLimit: bigint;
  readonly baseFeePerGas: bigint;
  /** Finds the tip (priority fee per gas). Called in the second round of requests, because a request has to be sent if the chain suggests no tip. */
  readonly findTip: () => Promise<bigint>;
  /** Call with fees filled in; `defaults` contains the other fields of the transaction. */
  readonly call: CallObject;
  readonly defaults: PayloadDefaults;
  readonly reference: BlockReference;
};

/**
 * Sends the first round of requests, all at one block: gas, base fee, tip and nonce.
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

/** Fills in fees as wallets do: the maximum fee is twice the base fee plus the tip. */
function withFees(call: CallObject, baseFeePerGas: bigint, tip: bigint): CallObject {
  if (call.gasPrice !== undefined) return call;
  return {
    maxFeePerGas: encodeQuantity(2n * baseFeePerGas + tip),
    maxPriorityFeePerGas: encodeQuantity(tip),
    ...call,
  };
}
