import { defineMethod, type Method } from '../rpc/method.ts';
import { scopeOfNothing } from './contract-scope.ts';
import { BLOCK_HASH_PARAM, blockOfHash, INDEX_PARAM, orNull } from './lookups.ts';
import type { MethodContext } from './method-context.ts';
import { EXAMPLE_TRANSACTION } from './result-examples.ts';
import { transaction } from './result-schemas.ts';

export const ethGetTransactionByBlockHashAndIndex: Method<MethodContext> = defineMethod({
  name: 'eth_getTransactionByBlockHashAndIndex',
  summary: 'Returns a transaction by block hash and position in the block.',
  description: 'The result is `null` for an unknown block, and for a position beyond the last transaction.',
  params: [BLOCK_HASH_PARAM, INDEX_PARAM],
  result: { name: 'transaction', schema: transaction.nullable() },
  contractScope: scopeOfNothing,
  cost: 150,
  errors: ['serverError'],
  example: { params: [EXAMPLE_TRANSACTION['blockHash'], '0x0'], result: EXAMPLE_TRANSACTION },
  handle: ([hash, index], { network, scope }) =>
    orNull(network.chain.transactions.getTransaction({ block: blockOfHash(hash), index }, scope)),
});
