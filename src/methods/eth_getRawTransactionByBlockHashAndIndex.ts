import { defineMethod, type Method } from '../rpc/method.ts';
import { data } from '../rpc/schemas.ts';
import { scopeOfNothing } from './contract-scope.ts';
import { BLOCK_HASH_PARAM, blockOfHash, INDEX_PARAM, NO_BYTES, orElse } from './lookups.ts';
import type { MethodContext } from './method-context.ts';
import { EXAMPLE_RAW_TRANSACTION, EXAMPLE_TRANSACTION } from './result-examples.ts';

export const ethGetRawTransactionByBlockHashAndIndex: Method<MethodContext> = defineMethod({
  name: 'eth_getRawTransactionByBlockHashAndIndex',
  summary: 'Returns the bytes of a transaction (EIP-2718) by block hash and position in the block.',
  description: 'The result is `0x` for an unknown block, and for a position beyond the last transaction.',
  params: [BLOCK_HASH_PARAM, INDEX_PARAM],
  result: { name: 'transaction', schema: data },
  contractScope: scopeOfNothing,
  cost: 150,
  errors: ['serverError'],
  example: { params: [EXAMPLE_TRANSACTION['blockHash'], '0x0'], result: EXAMPLE_RAW_TRANSACTION },
  handle: ([hash, index], { network, scope }) => {
    const place = { block: blockOfHash(hash), index };
    return orElse(network.chain.transactions.getRawTransaction(place, scope), NO_BYTES);
  },
});
