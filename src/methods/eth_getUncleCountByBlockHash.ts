import { defineMethod, type Method } from '../rpc/method.ts';
import { quantity64Result } from '../rpc/result-scalars.ts';
import { scopeOfNothing } from './contract-scope.ts';
import { BLOCK_HASH_PARAM, blockOfHash, orNull } from './lookups.ts';
import type { MethodContext } from './method-context.ts';
import { EXAMPLE_BLOCK } from './result-examples.ts';

export const ethGetUncleCountByBlockHash: Method<MethodContext> = defineMethod({
  name: 'eth_getUncleCountByBlockHash',
  summary: 'Returns the number of uncles of a block, by block hash.',
  description: 'The result is `null` for an unknown block.',
  params: [BLOCK_HASH_PARAM],
  result: { name: 'count', schema: quantity64Result.nullable() },
  contractScope: scopeOfNothing,
  cost: 150,
  errors: ['serverError'],
  example: { params: [EXAMPLE_BLOCK['hash']], result: '0x2' },
  handle: ([hash], { network, scope }) => orNull(network.chain.blocks.countUncles(blockOfHash(hash), scope)),
});
