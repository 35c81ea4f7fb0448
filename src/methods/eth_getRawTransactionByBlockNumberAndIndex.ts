import { defineMethod, type Method } from '../rpc/method.ts';
import { data } from '../rpc/schemas.ts';
import { scopeOfNothing } from './contract-scope.ts';
import { INDEX_PARAM, NO_BYTES, NUMBER_PARAM, orElse } from './lookups.ts';
import type { MethodContext } from './method-context.ts';
import { EXAMPLE_RAW_TRANSACTION } from './result-examples.ts';

export const ethGetRawTransactionByBlockNumberAndIndex: Method<MethodContext> = defineMethod({
  name: 'eth_getRawTransactionByBlockNumberAndIndex',
  summary: 'Returns the bytes of a transaction (EIP-2718) by block number and position in the block.',
  description:
    'The result is `0x` for an unknown or future block, and for a position beyond the last transaction.',
  params: [NUMBER_PARAM, INDEX_PARAM],
  result: { name: 'transaction', schema: data },
  contractScope: scopeOfNothing,
  cost: 150,
  errors: ['serverError'],
  example: { params: ['0x20', '0x0'], result: EXAMPLE_RAW_TRANSACTION },
  handle: ([block, index], { network, scope }) =>
    orElse(network.chain.transactions.getRawTransaction({ block, index }, scope), NO_BYTES),
});
