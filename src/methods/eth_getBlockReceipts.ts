import * as z from 'zod';
import { continueWith } from '../../packages/ethereum/primitives/promise-or-value.ts';
import { defineMethod, type Method } from '../rpc/method.ts';
import { anyBlockExceptSafe, resolveSafeTag } from './block-reference.ts';
import { scopeOfNothing } from './contract-scope.ts';
import type { MethodContext } from './method-context.ts';
import { EXAMPLE_RECEIPTS } from './result-examples.ts';
import { receipt } from './result-schemas.ts';

export const ethGetBlockReceipts: Method<MethodContext> = defineMethod({
  name: 'eth_getBlockReceipts',
  summary: 'Returns all receipts of a block, in the order of its transactions.',
  description:
    'The result is `null` for an unknown or future block, and `[]` for a block without transactions. On an embedded chain the result for `pending` is `[]` too.',
  params: [{ name: 'block', description: 'The block.', required: true, codec: anyBlockExceptSafe }],
  result: { name: 'receipts', schema: z.array(receipt).nullable() },
  contractScope: scopeOfNothing,
  cost: 1000,
  errors: ['serverError'],
  example: { params: ['0x20'], result: EXAMPLE_RECEIPTS },
  handle([block], { network, scope }) {
    const reference = resolveSafeTag(block, 0, network);
    return continueWith(network.chain.blocks.getReceipts(reference, scope), (receipts) => receipts ?? 'null');
  },
});
