import { defineMethod, type Method } from '../rpc/method.ts';
import { scopeOfNothing } from './contract-scope.ts';
import { BLOCK_HASH_PARAM, blockOfHash, INDEX_PARAM, orNull } from './lookups.ts';
import type { MethodContext } from './method-context.ts';
import { EXAMPLE_BLOCK, EXAMPLE_UNCLE } from './result-examples.ts';
import { uncleBlock } from './result-schemas.ts';

export const ethGetUncleByBlockHashAndIndex: Method<MethodContext> = defineMethod({
  name: 'eth_getUncleByBlockHashAndIndex',
  summary: 'An uncle of a block by block hash and uncle position.',
  description:
    'An unknown block and a position beyond the last uncle give `null`. `totalDifficulty` is `null`: it is not kept.',
  params: [BLOCK_HASH_PARAM, INDEX_PARAM],
  result: { name: 'uncle', schema: uncleBlock.nullable() },
  contractScope: scopeOfNothing,
  cost: 150,
  errors: ['serverError'],
  example: { params: [EXAMPLE_BLOCK['hash'], '0x0'], result: EXAMPLE_UNCLE },
  handle: ([hash, index], { network, scope }) =>
    orNull(network.chain.blocks.getUncle(blockOfHash(hash), index, scope)),
});
