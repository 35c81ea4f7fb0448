import { defineMethod, type Method } from '../rpc/method.ts';
import { scopeOfNothing } from './contract-scope.ts';
import { FULL_PARAM, NUMBER_PARAM, orNull } from './lookups.ts';
import type { MethodContext } from './method-context.ts';
import { EXAMPLE_BLOCK } from './result-examples.ts';
import { block } from './result-schemas.ts';

export const ethGetBlockByNumber: Method<MethodContext> = defineMethod({
  name: 'eth_getBlockByNumber',
  summary: 'Returns a block with its transactions, by number or tag.',
  description:
    'Client libraries, and gateways in front of this service, call this method to follow the chain. The result is `null` for an unknown block. On an embedded chain `pending` returns an empty block after the head, with the state root of the head.',
  params: [NUMBER_PARAM, FULL_PARAM],
  result: { name: 'block', schema: block.nullable() },
  contractScope: scopeOfNothing,
  cost: 80,
  errors: ['serverError'],
  example: { params: ['0x21', false], result: EXAMPLE_BLOCK },
  handle: ([reference, full], { network, scope }) =>
    orNull(network.chain.blocks.getBlock(reference, full, scope)),
});
