import type {
  BlockOverrides,
  BlockReference,
  CallObject,
  CallRequest,
  StateOverrides,
} from '../chain/chain.ts';
import { encodeQuantity } from '../primitives/quantity.ts';
import { RpcError } from '../rpc/errors.ts';
import { LATEST } from './block-reference.ts';
import type { MethodContext } from './method-context.ts';

/** Spec 8: the cap on `gas`, in units of the current block's gas limit. */
const GAS_CAP_FACTOR = 10n;

type CallParts = {
  readonly call: CallObject;
  readonly block: BlockReference | undefined;
  readonly stateOverrides: StateOverrides | undefined;
  readonly blockOverrides: BlockOverrides | undefined;
};

/**
 * The request that goes to the chain: checked for conflicts, one field for the call data, `gas` capped
 * (spec 8); an absent `gas` stays absent: chains have their own default.
 * @throws RpcError with geth's texts.
 */
export async function createCallRequest(parts: CallParts, context: MethodContext): Promise<CallRequest> {
  const { call, block = LATEST, stateOverrides, blockOverrides } = parts;
  checkCall(call, context.network.chain.chainId);
  const { input, gas: requestedGas, ...rest } = call;
  const gas = requestedGas === undefined ? undefined : await capGas(BigInt(requestedGas), context);
  return {
    call: {
      ...rest,
      ...(input === undefined ? {} : { data: input }),
      ...(gas === undefined ? {} : { gas: encodeQuantity(gas) }),
    },
    block,
    ...(stateOverrides === undefined ? {} : { stateOverrides }),
    ...(blockOverrides === undefined ? {} : { blockOverrides }),
  };
}

/** What geth's `CallDefaults` refuses before it looks at any state. */
function checkCall(call: CallObject, chainId: bigint): void {
  if (
    call.gasPrice !== undefined &&
    (call.maxFeePerGas !== undefined || call.maxPriorityFeePerGas !== undefined)
  ) {
    throw new RpcError('serverError', 'both gasPrice and (maxFeePerGas or maxPriorityFeePerGas) specified');
  }
  if (call.chainId !== undefined && BigInt(call.chainId) !== chainId) {
    const have = BigInt(call.chainId);
    throw new RpcError('serverError', `chainId does not match node's (have=${have}, want=${chainId})`);
  }
}

/** Clamps instead of refusing, as nodes do with their own cap. */
async function capGas(requested: bigint, { network, scope }: MethodContext): Promise<bigint> {
  const header = await network.chain.getHeader(LATEST, scope);
  if (header === null) throw new RpcError('serverError', 'header not found');
  const cap = header.gasLimit * GAS_CAP_FACTOR;
  return requested < cap ? requested : cap;
}
