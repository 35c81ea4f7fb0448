import { continueWith } from '../../packages/ethereum/primitives/promise-or-value.ts';
import { defineMethod, type Method } from '../rpc/method.ts';
import { quantity64 } from '../rpc/schemas.ts';
import { BLOCK_OVERRIDES_PARAM, CALL_BLOCK_PARAM, CALL_PARAM, STATE_OVERRIDES_PARAM } from './call-params.ts';
import { createCallRequest } from './call-request.ts';
import { scopeOfCall } from './contract-scope.ts';
import type { MethodContext } from './method-context.ts';

export const ethEstimateGas: Method<MethodContext> = defineMethod({
  name: 'eth_estimateGas',
  summary: 'Estimates the gas limit that a transaction needs. The transaction is not added to the chain.',
  description:
    "The estimate may be significantly above the gas actually used. If `gas` is absent, the estimate cannot exceed the gas limit of the pending block. `gas` is capped at 10 times the latest block's gas limit.",
  params: [CALL_PARAM, CALL_BLOCK_PARAM, STATE_OVERRIDES_PARAM, BLOCK_OVERRIDES_PARAM],
  result: { name: 'gas', schema: quantity64 },
  contractScope: scopeOfCall,
  cost: 300,
  executes: true,
  errors: ['executionReverted', 'serverError', 'callTooLarge', 'executionTimedOut', 'timedOut', 'busy'],
  example: {
    params: [
      {
        from: '0xb22db1efc84ea674085fe1364910d5e8196cbc81',
        to: '0xcabe9823112d187ea24d56be8e47ae75ed52a842',
        data: '0xa9059cbb0000000000000000000000006f6164de4a5641bb11457a647cb8f450d5ab0b2b0000000000000000000000000000000000000000000000000de0b6b3a7640000',
      },
    ],
    result: '0xa6c5',
  },
  handle([call, block, stateOverrides, blockOverrides], context) {
    const request = createCallRequest({ call, block, stateOverrides, blockOverrides }, context);
    return continueWith(request, (ready) =>
      context.network.chain.execution.estimateGas(ready, context.scope),
    );
  },
});
