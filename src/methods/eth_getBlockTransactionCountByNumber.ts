import { defineMethod, type Method } from '../rpc/method.ts';
import { quantity64Result } from '../rpc/result-scalars.ts';
import { scopeOfNothing } from './contract-scope.ts';
import { NUMBER_PARAM, orNull } from './lookups.ts';
import type { MethodContext } from './method-context.ts';

export const ethGetBlockTransactionCountByNumber: Method<MethodContext> = defineMethod({
  name: 'eth_getBlockTransactionCountByNumber',
  summary: 'Returns the number of transactions in a block, by block number or tag.',
  description: 'The result is `null` for an unknown or future block.',
  params: [NUMBER_PARAM],
  result: { name: 'count', schema: quantity64Result.nullable() },
  contractScope: scopeOfNothing,
  cost: 150,
  errors: ['serverError'],
  example: { params: ['0x21'], result: '0x1' },
  handle: ([reference], { network, scope }) =>
    orNull(network.chain.blocks.countTransactions(reference, scope)),
});
