import { continueWith } from '../primitives/promise-or-value.ts';
import { defineMethod, type Method } from '../rpc/method.ts';
import { FULL_PARAM } from './block-params.ts';
import { anyBlockNumberOrTag } from './block-reference.ts';
import type { MethodContext } from './method-context.ts';
import { EXAMPLE_BLOCK } from './result-examples.ts';
import { block } from './result-schemas.ts';
import { touchesNothing } from './touches.ts';

export const ethGetBlockByNumber: Method<MethodContext> = defineMethod({
  name: 'eth_getBlockByNumber',
  summary: 'A block with its transactions, by number or tag.',
  description:
    'What client libraries, and gateways in front of this one, follow the chain by. An unknown block gives `null`.',
  params: [
    { name: 'block', description: 'The block.', required: true, codec: anyBlockNumberOrTag },
    FULL_PARAM,
  ],
  result: { name: 'block', schema: block.nullable() },
  touches: touchesNothing,
  cost: 80,
  errors: ['serverError'],
  example: { params: ['0x21', false], result: EXAMPLE_BLOCK },
  handle: ([reference, full = false], { network, scope }) =>
    continueWith(network.chain.blocks.getBlock(reference, full, scope), (found) => found ?? 'null'),
});
