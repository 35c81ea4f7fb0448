import type { JsonText } from '../../packages/ethereum/primitives/json-result.ts';
import { encodeQuantity } from '../../packages/ethereum/primitives/quantity.ts';
import type { BlockReference, CallObject } from '../chain/requests.ts';
import { type Codec, isJsonObject } from '../rpc/codec/codec.ts';
import { defineMethod, type Method } from '../rpc/method.ts';
import { ParamProblem } from '../rpc/param-problem.ts';
import { DEFAULT_BLOCK } from './block-reference.ts';
import { callObject } from './call-object.ts';
import { createCallRequest } from './call-request.ts';
import { completeFees, type FilledFees, readQuantityText, refuse } from './complete-fees.ts';
import { scopeOfCall } from './contract-scope.ts';
import type { MethodContext } from './method-context.ts';
import { EXAMPLE_FILLED_TRANSACTION } from './result-examples.ts';
import { filledTransaction } from './result-schemas.ts';
import { createUnsigned, encodeUnsigned } from './unsigned-transaction.ts';

const PENDING: BlockReference = { kind: 'tag', tag: 'pending' };
const NO_ONE = '0x0000000000000000000000000000000000000000';
/** Maximum number of blobs per transaction (EIP-7594). */
const MAX_BLOBS = 6;

/**
 * Call object without a blob sidecar. The service does not compute blob commitments and proofs. A call object with `blobs` is rejected, because a
 * transaction without the requested blobs would be wrong.
 */
const unsignedTransaction: Codec<CallObject> = {
  parse(raw) {
    if (isJsonObject(raw) && (raw['blobs'] ?? null) !== null)
      throw new ParamProblem('not supported: set blobVersionedHashes, and add the sidecar after signing', [
        'blobs',
      ]);
    return callObject.parse(raw);
  },
  jsonSchema: callObject.jsonSchema,
};

export const ethFillTransaction: Method<MethodContext> = defineMethod({
  name: 'eth_fillTransaction',
  summary: 'Fills in the fields that a transaction lacks before signing: nonce, gas, fees and chain id.',
  description:
    "The service fills in the same values as geth. The nonce includes pending transactions. Gas is estimated at the head. The tip is the result of `eth_maxPriorityFeePerGas`. The fee cap is the tip plus twice the head's base fee. The fee cap for blobs is twice the blob base fee. The signature in `raw` is zero. A request with blobs is refused: pass the hashes of the blobs, and add the sidecar after signing. The service computes the result itself, and never forwards this method to a node.",
  params: [
    {
      name: 'transaction',
      description: 'Known fields of the transaction.',
      required: true,
      codec: unsignedTransaction,
    },
  ],
  result: { name: 'filled', schema: filledTransaction },
  contractScope: scopeOfCall,
  cost: 400,
  executes: true,
  errors: ['executionReverted', 'serverError', 'callTooLarge', 'executionTimedOut', 'timedOut', 'busy'],
  example: {
    params: [
      {
        from: '0xb22db1efc84ea674085fe1364910d5e8196cbc81',
        to: '0x6f6164de4a5641bb11457a647cb8f450d5ab0b2b',
        value: '0xde0b6b3a7640000',
      },
    ],
    result: EXAMPLE_FILLED_TRANSACTION,
  },
  async handle([call], context) {
    const { chain } = context.network;
    const head = await chain.blocks.getHeader(DEFAULT_BLOCK, context.scope);
    if (head === null) throw refuse('header not found');
    const fees = await completeFees(call, head, context);
    const nonce = await fillNonce(call, context);
    checkCall(call);
    const gasLimit = await fillGas(call, fees, context);
    const chainId = await (chain.findChainId?.(context.scope) ?? chain.chainId);
    checkChain(call, chainId);
    return encodeUnsigned(createUnsigned(call, fees, { chainId, nonce, gasLimit }));
  },
});

async function fillNonce(
  { nonce, from = NO_ONE }: CallObject,
  { network, scope }: MethodContext,
): Promise<bigint> {
  if (nonce !== undefined) return BigInt(nonce);
  const count: JsonText = await network.chain.state.getTransactionCount(from, PENDING, scope);
  return readQuantityText(count);
}

/** Returns the gas limit: the call's own, or an estimate. As in geth, the call for the estimate includes the fees, but neither nonce nor chain id. */
async function fillGas(call: CallObject, fees: FilledFees, context: MethodContext): Promise<bigint> {
  if (call.gas !== undefined) return BigInt(call.gas);
  const { nonce: _nonce, chainId: _chainId, type: _type, ...rest } = call;
  const prices = Object.fromEntries(
    Object.entries(fees).map(([name, price]) => [name, encodeQuantity(price)]),
  );
  const parts = { block: undefined, stateOverrides: undefined, blockOverrides: undefined };
  const request = await createCallRequest({ call: { ...rest, ...prices }, ...parts }, context);
  return readQuantityText(await context.network.chain.execution.estimateGas(request, context.scope));
}

/** @throws RpcError for an invalid transaction. Messages and the order of checks are geth's. */
function checkCall({ to, data, input, blobVersionedHashes, authorizationList }: CallObject): void {
  if (data !== undefined && input !== undefined && data !== input)
    throw refuse(
      'both "data" and "input" are set and not equal. Please use "input" to pass transaction call data',
    );
  const blobs = blobVersionedHashes?.length;
  if (blobs === 0) throw refuse('need at least 1 blob for a blob transaction');
  if (blobs !== undefined && blobs > MAX_BLOBS)
    throw refuse(`too many blobs in transaction (have=${blobs}, max=${MAX_BLOBS})`);
  if (to !== undefined) return;
  if (blobs !== undefined) throw refuse('missing "to" in blob transaction');
  if ((input ?? data ?? '0x') === '0x') throw refuse('contract creation without any data provided');
  if (authorizationList !== undefined)
    throw refuse('authorizationList provided for contract creation, but "to" field is missing');
}

function checkChain({ chainId }: CallObject, own: bigint): void {
  if (chainId !== undefined && BigInt(chainId) !== own)
    throw refuse(`chainId does not match node's (have=${BigInt(chainId)}, want=${own})`);
}
