import { continueWith } from '../../packages/ethereum/primitives/promise-or-value.ts';
import { encodeQuantity } from '../../packages/ethereum/primitives/quantity.ts';
import { RpcError } from '../rpc/errors.ts';
import { defineMethod, type Method } from '../rpc/method.ts';
import { quantity64 } from '../rpc/schemas.ts';
import { DEFAULT_BLOCK } from './block-reference.ts';
import { scopeOfNothing } from './contract-scope.ts';
import type { MethodContext } from './method-context.ts';

export const ethBlockNumber: Method<MethodContext> = defineMethod({
  name: 'eth_blockNumber',
  summary: 'Returns the number of the latest block.',
  params: [],
  result: { name: 'number', schema: quantity64 },
  contractScope: scopeOfNothing,
  cost: 80,
  errors: ['serverError'],
  example: { params: [], result: '0x47' },
  handle: (_, { network, scope }) =>
    continueWith(network.chain.blocks.getHeader(DEFAULT_BLOCK, scope), (header) => {
      if (header === null) throw new RpcError('serverError', 'header not found');
      return `"${encodeQuantity(header.number)}"`;
    }),
});
