import * as z from 'zod';
import { defineMethod, type Method } from '../rpc/method.ts';
import { scopeOfAnything } from './contract-scope.ts';
import { ANY_BLOCK_PARAM, orNull } from './lookups.ts';
import type { MethodContext } from './method-context.ts';
import { EXAMPLE_BLOCK_ACCESS_LIST } from './result-examples.ts';
import { accountAccess } from './result-schemas.ts';

export const ethGetBlockAccessList: Method<MethodContext> = defineMethod({
  name: 'eth_getBlockAccessList',
  summary:
    'Returns the accounts and slots that a block accessed, and the values that the block left in them (EIP-7928).',
  description:
    'The result is `null` for an unknown block and for `pending`. A block from before Amsterdam causes an error. The service verifies a block access list from a node against the hash in the block header.',
  params: [ANY_BLOCK_PARAM],
  result: { name: 'block access list', schema: z.array(accountAccess).nullable() },
  contractScope: scopeOfAnything,
  cost: 1000,
  errors: ['resourceNotFound', 'prunedHistory', 'serverError'],
  example: { params: ['0x46'], result: EXAMPLE_BLOCK_ACCESS_LIST },
  handle: ([block], { network, scope }) =>
    orNull(network.chain.blocks.getAccessList(block, 'objects', scope)),
});
