import { defineMethod, type Method } from '../rpc/method.ts';
import { address, quantity64 } from '../rpc/schemas.ts';
import { anyBlock, LATEST } from './block-reference.ts';
import type { MethodContext } from './method-context.ts';

export const ethGetTransactionCount: Method<MethodContext> = defineMethod({
  name: 'eth_getTransactionCount',
  summary: "An account's nonce: how many transactions it has sent.",
  description: 'On an embedded chain `pending` counts as `latest`: it has no transactions that wait.',
  params: [
    { name: 'address', description: 'The account.', required: true, schema: address },
    {
      name: 'block',
      description: 'Block whose state counts. Default: `latest`.',
      required: false,
      schema: anyBlock,
    },
  ],
  result: { name: 'nonce', schema: quantity64 },
  cost: 80,
  errors: ['serverError'],
  example: { params: ['0xb22db1efc84ea674085fe1364910d5e8196cbc81', '0x3b'], result: '0x2b' },
  handle: ([account, block = LATEST], { network, scope }) =>
    network.chain.state.getTransactionCount(account, block, scope),
});
