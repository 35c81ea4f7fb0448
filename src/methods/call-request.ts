import { continueWith, type PromiseOrValue } from '../../packages/ethereum/primitives/promise-or-value.ts';
import { encodeQuantity } from '../../packages/ethereum/primitives/quantity.ts';
import { ChainError } from '../chain/errors.ts';
import type {
  BlockOverrides,
  BlockReference,
  CallObject,
  CallRequest,
  StateOverrides,
} from '../chain/requests.ts';
import { RpcError } from '../rpc/errors.ts';
import { DEFAULT_BLOCK } from './block-reference.ts';
import { countFurtherEntries } from './call-entries.ts';
import type { MethodContext } from './method-context.ts';
import { workFor } from './work-credits.ts';

/** Maximum `gas` of a call, as a multiple of the latest block's gas limit (spec 8). */
const GAS_CAP_FACTOR = 10n;

type CallParts = {
  readonly call: CallObject;
  readonly block: BlockReference | undefined;
  readonly stateOverrides: StateOverrides | undefined;
  readonly blockOverrides: BlockOverrides | undefined;
};

/**
 * Creates the chain's request for a message call. The call data is only in `data`, and `gas` is capped (spec 8). An absent `gas` stays absent,
 * because each chain has its own default. List and map entries that the base credits do not include are charged first.
 * @throws (or rejects with) RpcError for too many entries, or insufficient credits
 */
export function createCallRequest(parts: CallParts, context: MethodContext): PromiseOrValue<CallRequest> {
  const further = countFurtherEntries(parts);
  if (further === 0) return capRequest(parts, context);
  return workFor(context.scope, 'call_further100Entries', further, () => capRequest(parts, context));
}

function capRequest(parts: CallParts, context: MethodContext): PromiseOrValue<CallRequest> {
  const { gas } = parts.call;
  if (gas === undefined) return assembleRequest(parts, undefined);
  return continueWith(capGas(BigInt(gas), context), (capped) => assembleRequest(parts, capped));
}

/**
 * Synchronous variant of `createCallRequest` for calls that need no further credits. Returns undefined for a call that needs further credits or an
 * asynchronous step, or that fails.
 */
export function createCallRequestNow(parts: CallParts, context: MethodContext): CallRequest | undefined {
  try {
    if (countFurtherEntries(parts) > 0) return undefined;
    const request = capRequest(parts, context);
    if (!(request instanceof Promise)) return request;
    request.catch(() => undefined);
  } catch (error) {
    if (!(error instanceof RpcError || error instanceof ChainError)) throw error;
  }
  return undefined;
}

function assembleRequest(
  { call: provided, block = DEFAULT_BLOCK, stateOverrides, blockOverrides }: CallParts,
  gas: bigint | undefined,
): CallRequest {
  const call = gas === undefined && provided.input === undefined ? provided : completeFields(provided, gas);
  if (stateOverrides === undefined && blockOverrides === undefined) return { call, block };
  return {
    call,
    block,
    ...(stateOverrides !== undefined && { stateOverrides }),
    ...(blockOverrides !== undefined && { blockOverrides }),
  };
}

/** Returns the call with its data in `data` only, and with the capped gas. */
function completeFields(
  { input, gas: _requested, ...rest }: CallObject,
  gas: bigint | undefined,
): CallObject {
  return {
    ...rest,
    ...(input !== undefined && { data: input }),
    ...(gas !== undefined && { gas: encodeQuantity(gas) }),
  };
}

/** A `gas` above the cap is reduced to the cap; the call is not rejected. Nodes also clamp `gas` to their own cap. */
function capGas(requested: bigint, { network, scope }: MethodContext): PromiseOrValue<bigint> {
  return continueWith(network.chain.blocks.getHeader(DEFAULT_BLOCK, scope), (header) => {
    if (header === null) throw new RpcError('serverError', 'header not found');
    const cap = header.gasLimit * GAS_CAP_FACTOR;
    return requested < cap ? requested : cap;
  });
}
