import { continueWith } from '../../packages/ethereum/primitives/promise-or-value.ts';
import { defineMethod, type Method } from '../rpc/method.ts';
import { data } from '../rpc/schemas.ts';
import { BLOCK_OVERRIDES_PARAM, CALL_BLOCK_PARAM, CALL_PARAM, STATE_OVERRIDES_PARAM } from './call-params.ts';
import { createCallRequest, createCallRequestNow } from './call-request.ts';
import { scopeOfCall } from './contract-scope.ts';
import type { MethodContext } from './method-context.ts';
import { createTextRequest } from './plain-calls/text-request.ts';

export const ethCall: Method<MethodContext> = defineMethod({
  name: 'eth_call',
  summary: 'Executes a message call without creating a transaction.',
  description:
    "Without `from` the sender is the zero address. (The specification of the service requires `from`; the service accepts calls without it.) `gas` is capped at 10 times the latest block's gas limit. If `gas` is absent, an embedded chain uses 10 times the latest block's gas limit, and nodes use their own default. If all fee fields are absent or zero, fees are not checked.",
  params: [CALL_PARAM, CALL_BLOCK_PARAM, STATE_OVERRIDES_PARAM, BLOCK_OVERRIDES_PARAM],
  result: { name: 'returnData', schema: data },
  contractScope: scopeOfCall,
  cost: 80,
  executes: true,
  errors: ['executionReverted', 'serverError', 'callTooLarge', 'executionTimedOut', 'timedOut', 'busy'],
  example: {
    params: [
      {
        to: '0xcabe9823112d187ea24d56be8e47ae75ed52a842',
        data: '0x70a08231000000000000000000000000b22db1efc84ea674085fe1364910d5e8196cbc81',
      },
      'latest',
    ],
    result: '0x00000000000000000000000000000000000000000000021a5c4f8b4e944c0000',
  },
  handle([call, block, stateOverrides, blockOverrides], context) {
    const request = createCallRequest({ call, block, stateOverrides, blockOverrides }, context);
    return continueWith(request, (ready) => context.network.chain.execution.call(ready, context.scope));
  },
  handleMany(calls, parse, context) {
    const { execution } = context.network.chain;
    if (execution.callMany === undefined) return undefined;
    const requests = calls.map((provided) => {
      const known = createTextRequest(provided);
      const values = known === undefined ? parse(provided) : undefined;
      if (values === undefined) return known;
      const [call, block, stateOverrides, blockOverrides] = values;
      return createCallRequestNow({ call, block, stateOverrides, blockOverrides }, context);
    });
    return execution.callMany(requests, context.scope);
  },
  invokeFastPath: (call, { network, scope }) => network.chain.execution.callFastPath?.(call, scope),
});
