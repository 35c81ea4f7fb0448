import { defineMethod, type Method } from '../rpc/method.ts';
import { scopeOfNothing } from './contract-scope.ts';
import { BLOCK_HASH_PARAM, blockOfHash, orNull } from './lookups.ts';
import type { MethodContext } from './method-context.ts';
import { EXAMPLE_HEADER } from './result-examples.ts';
import { header } from './result-schemas.ts';

export const ethGetHeaderByHash: Method<MethodContext> = defineMethod({
  name: 'eth_getHeaderByHash',
  summary: 'Returns the header of a block, by hash.',
  description:
    'A header is a block without size, transactions, uncles and withdrawals. The result is `null` for an unknown block.',
  params: [BLOCK_HASH_PARAM],
  result: { name: 'header', schema: header.nullable() },
  contractScope: scopeOfNothing,
  cost: 80,
  errors: ['serverError'],
  example: { params: [EXAMPLE_HEADER['hash']], result: EXAMPLE_HEADER },
  handle: ([hash], { network, scope }) =>
    orNull(network.chain.blocks.getHeaderObject(blockOfHash(hash), scope)),
});
