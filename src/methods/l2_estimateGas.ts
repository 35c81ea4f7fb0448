import { encodeQuantity } from '../../packages/ethereum/primitives/quantity.ts';
import { RpcError } from '../rpc/errors.ts';
import { defineMethod, type Method } from '../rpc/method.ts';
import { blockOrOverrides } from './block-or-overrides.ts';
import { DEFAULT_BLOCK, resolveSafeTag } from './block-reference.ts';
import { CALL_PARAM, STATE_OVERRIDES_PARAM } from './call-params.ts';
import { createCallRequest } from './call-request.ts';
import { scopeOfEstimate } from './contract-scope.ts';
import type { MethodContext } from './method-context.ts';
import { gasEstimate } from './result-schemas.ts';

const L2_ESTIMATE_GAS = 'l2_estimateGas';

export const l2EstimateGas: Method<MethodContext> = defineMethod({
  name: L2_ESTIMATE_GAS,
  summary:
    'Estimates the gas limit, base fee and priority fee that a transaction on a rollup needs. The priority fee covers the cost of layer 1.',
  description:
    "Only rollups serve this method. A network also serves the method as `<prefix>_estimateGas` for each of its prefixes (`linea_estimateGas` with the prefix `linea`). `gas` is capped at 10 times the latest block's gas limit.",
  params: [
    CALL_PARAM,
    {
      name: 'block',
      description:
        'Block with the state and prices for the estimate, `latest` by default. Or the state overrides, which `linea_estimateGas` of nodes accepts in this position.',
      required: false,
      codec: blockOrOverrides,
    },
    STATE_OVERRIDES_PARAM,
  ],
  result: { name: 'gasEstimate', schema: gasEstimate },
  contractScope: scopeOfEstimate,
  cost: 100,
  executes: true,
  needsRollup: true,
  errors: [
    'methodNotFound',
    'executionReverted',
    'serverError',
    'callTooLarge',
    'executionTimedOut',
    'timedOut',
    'busy',
    'unavailable',
    'misconfigured',
  ],
  example: {
    params: [
      {
        from: '0xb22db1efc84ea674085fe1364910d5e8196cbc81',
        to: '0xcabe9823112d187ea24d56be8e47ae75ed52a842',
        data: '0xa9059cbb0000000000000000000000006f6164de4a5641bb11457a647cb8f450d5ab0b2b0000000000000000000000000000000000000000000000000de0b6b3a7640000',
      },
    ],
    result: {
      gasLimit: '0x85e4',
      baseFeePerGas: '0x7',
      priorityFeePerGas: '0x6709989',
    },
  },
  async handle([call, second = {}, third], context) {
    const { rollup } = context.network;
    if (rollup === undefined) throw new RpcError('methodNotFound', L2_ESTIMATE_GAS);
    const { block = DEFAULT_BLOCK, stateOverrides = third } = second;
    if (third !== undefined && second.stateOverrides !== undefined)
      throw new RpcError('invalidParams', 'invalid argument 2: argument 1 already has state overrides');
    const reference = resolveSafeTag(block, 1, context.network);
    const request = await createCallRequest(
      { call, block: reference, stateOverrides, blockOverrides: undefined },
      context,
    );
    const estimate = await rollup.estimateGas(request, context.scope);
    return JSON.stringify({
      gasLimit: encodeQuantity(estimate.gasLimit),
      baseFeePerGas: encodeQuantity(estimate.baseFeePerGas),
      priorityFeePerGas: encodeQuantity(estimate.priorityFeePerGas),
    });
  },
});

/**
 * Creates `<prefix>_estimateGas` for a rollup whose family is not recognised yet. Each call first waits for the recognition.
 * @throws RpcError (on call) `methodNotFound` when the recognised network does not have the prefix
 */
export function createEarlyEstimate(prefix: string): Method<MethodContext> {
  return {
    ...l2EstimateGas,
    async invoke(rawParams, context) {
      await context.network.rollup?.recognise?.(context.scope);
      if (context.network.rollupPrefixes?.includes(prefix) !== true)
        throw new RpcError('methodNotFound', `${prefix}_estimateGas`);
      return l2EstimateGas.invoke(rawParams, context);
    },
  };
}
