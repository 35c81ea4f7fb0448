import { continueWith } from '../../packages/ethereum/primitives/promise-or-value.ts';
import { defineMethod, type Method } from '../rpc/method.ts';
import { CALL_BLOCK_PARAM, CALL_PARAM, STATE_OVERRIDES_PARAM } from './call-params.ts';
import { createCallRequest } from './call-request.ts';
import { scopeOfCall } from './contract-scope.ts';
import type { MethodContext } from './method-context.ts';
import { accessListResult } from './simulation-schemas.ts';

export const ethCreateAccessList: Method<MethodContext> = defineMethod({
  name: 'eth_createAccessList',
  summary: 'Returns the accounts and slots that a call accesses, as an access list (EIP-2930).',
  description:
    "The list leaves out the sender, the recipient and precompiles, unless the call accesses their slots. If the call fails, the result has both the access list and, in `error`, the reason of the failure. `gas` is capped at 10 times the latest block's gas limit.",
  params: [CALL_PARAM, CALL_BLOCK_PARAM, STATE_OVERRIDES_PARAM],
  result: { name: 'accessList', schema: accessListResult },
  contractScope: scopeOfCall,
  cost: 80,
  executes: true,
  errors: ['serverError', 'callTooLarge', 'executionTimedOut', 'timedOut', 'busy'],
  example: {
    params: [
      {
        from: '0xb22db1efc84ea674085fe1364910d5e8196cbc81',
        to: '0xcabe9823112d187ea24d56be8e47ae75ed52a842',
        data: '0x70a08231000000000000000000000000b22db1efc84ea674085fe1364910d5e8196cbc81',
      },
      'latest',
    ],
    result: {
      accessList: [
        {
          address: '0xcabe9823112d187ea24d56be8e47ae75ed52a842',
          storageKeys: ['0x5d41580900df66410c99d44a27caf741ac799e6580b690024cc351b5fbf7d5b7'],
        },
      ],
      gasUsed: '0x5df8',
    },
  },
  handle([call, block, stateOverrides], context) {
    const request = createCallRequest({ call, block, stateOverrides, blockOverrides: undefined }, context);
    return continueWith(request, (ready) =>
      context.network.chain.execution.createAccessList(ready, context.scope),
    );
  },
});
