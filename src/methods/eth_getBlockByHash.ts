import { defineMethod, type Method } from '../rpc/method.ts';
import { scopeOfNothing } from './contract-scope.ts';
import { BLOCK_HASH_PARAM, blockOfHash, FULL_PARAM, orNull } from './lookups.ts';
import type { MethodContext } from './method-context.ts';
import { EXAMPLE_BLOCK } from './result-examples.ts';
import { block } from './result-schemas.ts';

export const ethGetBlockByHash: Method<MethodContext> = defineMethod({
  name: 'eth_getBlockByHash',
  summary: 'Returns a block with its transactions, by hash.',
  description:
    'Client libraries, and gateways in front of this service, call this method to follow the chain. The result is `null` for an unknown block.',
  params: [BLOCK_HASH_PARAM, FULL_PARAM],
  result: { name: 'block', schema: block.nullable() },
  contractScope: scopeOfNothing,
  cost: 80,
  errors: ['serverError'],
  example: { params: [EXAMPLE_BLOCK['hash'], false], result: EXAMPLE_BLOCK },
  handle: ([hash, full], { network, scope }) =>
    orNull(network.chain.blocks.getBlock(blockOfHash(hash), full, scope)),
});
