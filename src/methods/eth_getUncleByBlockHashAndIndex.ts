import { defineMethod, type Method } from '../rpc/method.ts';
import { scopeOfNothing } from './contract-scope.ts';
import { BLOCK_HASH_PARAM, blockOfHash, INDEX_PARAM, orNull } from './lookups.ts';
import type { MethodContext } from './method-context.ts';
import { EXAMPLE_BLOCK, EXAMPLE_UNCLE } from './result-examples.ts';
import { uncleBlock } from './result-schemas.ts';

export const ethGetUncleByBlockHashAndIndex: Method<MethodContext> = defineMethod({
  name: 'eth_getUncleByBlockHashAndIndex',
  summary: 'Returns an uncle of a block by block hash and uncle position.',
  description:
    'The result is `null` for an unknown block, and for a position beyond the last uncle. `totalDifficulty` is `null`, because the service does not store it.',
  params: [BLOCK_HASH_PARAM, INDEX_PARAM],
  result: { name: 'uncle', schema: uncleBlock.nullable() },
  contractScope: scopeOfNothing,
  cost: 150,
  errors: ['serverError'],
  example: { params: [EXAMPLE_BLOCK['hash'], '0x0'], result: EXAMPLE_UNCLE },
  handle: ([hash, index], { network, scope }) =>
    orNull(network.chain.blocks.getUncle(blockOfHash(hash), index, scope)),
});
