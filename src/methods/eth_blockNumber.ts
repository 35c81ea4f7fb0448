import { encodeQuantity } from '../primitives/quantity.ts';
import { RpcError } from '../rpc/errors.ts';
import { defineMethod, type Method } from '../rpc/method.ts';
import { quantity64 } from '../rpc/schemas.ts';
import { LATEST } from './block-reference.ts';
import type { MethodContext } from './method-context.ts';

export const ethBlockNumber: Method<MethodContext> = defineMethod({
  name: 'eth_blockNumber',
  summary: 'Number of the latest block.',
  params: [],
  result: { name: 'number', schema: quantity64 },
  cost: 80,
  errors: ['serverError'],
  example: { params: [], result: '0x3d' },
  async handle(_, { network, scope }) {
    const header = await network.chain.getHeader(LATEST, scope);
    if (header === null) throw new RpcError('serverError', 'header not found');
    return `"${encodeQuantity(header.number)}"`;
  },
});
