import { defineMethod, type Method } from '../rpc/method.ts';
import { DEFAULT_BLOCK } from './block-reference.ts';
import { scopeOfStorage } from './contract-scope.ts';
import type { MethodContext } from './method-context.ts';
import { storageValues } from './result-schemas.ts';
import { orderRequests, STATE_BLOCK_PARAM, storageRequests } from './state-params.ts';

export const ethGetStorageValues: Method<MethodContext> = defineMethod({
  name: 'eth_getStorageValues',
  summary: 'Returns values of storage slots of several contracts, at one block.',
  description:
    'A request may have at most 1,024 slots. If a node lacks the method, the service requests each slot from the node with `eth_getStorageAt`.',
  params: [
    {
      name: 'requests',
      description: 'Slots by account.',
      required: true,
      codec: storageRequests,
    },
    STATE_BLOCK_PARAM,
  ],
  result: { name: 'values', schema: storageValues },
  contractScope: scopeOfStorage,
  cost: 255,
  errors: ['serverError', 'limitExceeded', 'callTooLarge', 'busy'],
  example: {
    params: [{ '0xcabe9823112d187ea24d56be8e47ae75ed52a842': [`0x${'00'.repeat(31)}02`] }, '0x3b'],
    result: {
      '0xcabe9823112d187ea24d56be8e47ae75ed52a842': [
        '0x00000000000000000000000000000000000000000000d3c21bcecceda1000000',
      ],
    },
  },
  handle: ([requests, block = DEFAULT_BLOCK], { network, scope }) =>
    network.chain.state.getStorageValues(orderRequests(requests), block, scope),
});
