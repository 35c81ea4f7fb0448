import { defineMethod, type Method } from '../rpc/method.ts';
import { data } from '../rpc/schemas.ts';
import { BLOCK_OVERRIDES_PARAM, CALL_BLOCK_PARAM, CALL_PARAM, STATE_OVERRIDES_PARAM } from './call-params.ts';
import { createCallRequest } from './call-request.ts';
import type { MethodContext } from './method-context.ts';

export const ethCall: Method<MethodContext> = defineMethod({
  name: 'eth_call',
  summary: 'Executes a message call without creating a transaction.',
  description:
    'Without `from` the sender is the zero address (a leniency: the specification of the service lists `from` as required). ' +
    "`gas` is capped at 10 times the latest block's gas limit, which is also its default. " +
    'Fee fields that are absent or zero switch fee checks off.',
  params: [CALL_PARAM, CALL_BLOCK_PARAM, STATE_OVERRIDES_PARAM, BLOCK_OVERRIDES_PARAM],
  result: { name: 'returnData', schema: data },
  cost: 80,
  executes: true,
  errors: ['executionReverted', 'serverError', 'timedOut', 'busy'],
  example: {
    params: [{ to: '0x17e7eedce4ac02ef114a7ed9fe6e2f33feba1667', data: '0xff01' }, 'latest'],
    result: '0xffee',
  },
  async handle([call, block, stateOverrides, blockOverrides], context) {
    const request = await createCallRequest({ call, block, stateOverrides, blockOverrides }, 'cap', context);
    return context.network.chain.call(request, context.scope);
  },
});
