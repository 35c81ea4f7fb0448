import type { Chain } from '../../chain/chain.ts';
import type { BlockReference, CallObject, CallRequest } from '../../chain/requests.ts';
import { encodeQuantity } from '../../primitives/quantity.ts';
import type { RequestScope } from '../../util/request-scope.ts';
import { findNonce } from './find-nonce.ts';
import { deriveTip, suggestTip } from './find-tip.ts';
import type { PinnedBlock } from './pin-block.ts';
import { readBasics } from './read-basics.ts';
import { inferPayloadType, type PayloadDefaults } from './signing-payload.ts';

/** What stands in a transaction for a tip that is not known yet: the least that op-geth suggests, wei. */
const LEAST_TIP = 1_000_000n;

/** What is known of a transaction before the chain's contracts are asked about it. */
export type Draft = {
  readonly gasLimit: bigint;
  readonly baseFeePerGas: bigint;
  /** To be called with the next questions: where the chain has no suggestion, the tip is one of them. */
  readonly findTip: () => Promise<bigint>;
  /** The call with fees, and what else its transaction needs. */
  readonly call: CallObject;
  readonly defaults: PayloadDefaults;
  readonly reference: BlockReference;
};

/**
 * The first round of questions: gas, base fee, tip and nonce, all at one block.
 * @throws ChainError `invalid`, before anything is asked, for types of transactions that rollups do not have
 */
export async function draftTransaction(
  chain: Chain,
  request: CallRequest,
  pinned: PinnedBlock,
  scope: RequestScope,
): Promise<Draft> {
  inferPayloadType(request.call);
  const [{ gasLimit, baseFeePerGas = 0n }, suggested, nonce] = await Promise.all([
    readBasics(chain, request, pinned, scope),
    suggestTip(chain, scope),
    findNonce(chain, request, pinned, scope),
  ]);
  const defaults = { chainId: chain.chainId, nonce, gasLimit, gasPrice: baseFeePerGas };
  const call = withFees(request.call, baseFeePerGas, suggested ?? LEAST_TIP);
  const findTip = async (): Promise<bigint> => suggested ?? deriveTip(chain, baseFeePerGas, scope);
  return { gasLimit, baseFeePerGas, findTip, call, defaults, reference: pinned.reference };
}

/** What wallets set where the call says nothing: room for a base fee twice as high. */
function withFees(call: CallObject, baseFeePerGas: bigint, tip: bigint): CallObject {
  if (call.gasPrice !== undefined) return call;
  return {
    maxFeePerGas: encodeQuantity(2n * baseFeePerGas + tip),
    maxPriorityFeePerGas: encodeQuantity(tip),
    ...call,
  };
}
