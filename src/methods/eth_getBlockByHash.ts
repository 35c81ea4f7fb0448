import type { BlockReference } from '../chain/chain.ts';
import { continueWith } from '../primitives/promise-or-value.ts';
import { defineMethod, type Method } from '../rpc/method.ts';
import { hash32 } from '../rpc/schemas.ts';
import { FULL_PARAM } from './block-params.ts';
import type { MethodContext } from './method-context.ts';
import { EXAMPLE_BLOCK } from './result-examples.ts';
import { block } from './result-schemas.ts';
import { touchesNothing } from './touches.ts';

export const ethGetBlockByHash: Method<MethodContext> = defineMethod({
  name: 'eth_getBlockByHash',
  summary: 'A block with its transactions, by hash.',
  description:
    'What client libraries, and gateways in front of this one, follow the chain by. An unknown block gives `null`.',
  params: [{ name: 'hash', description: 'Hash of the block.', required: true, codec: hash32 }, FULL_PARAM],
  result: { name: 'block', schema: block.nullable() },
  touches: touchesNothing,
  cost: 80,
  errors: ['serverError'],
  example: { params: [EXAMPLE_BLOCK['hash'], false], result: EXAMPLE_BLOCK },
  handle: ([hash, full = false], { network, scope }) => {
    const reference: BlockReference = { kind: 'hash', hash, requireCanonical: false };
    return continueWith(network.chain.blocks.getBlock(reference, full, scope), (found) => found ?? 'null');
  },
});
