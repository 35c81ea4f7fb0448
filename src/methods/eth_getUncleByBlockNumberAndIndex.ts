import { continueWith } from '../../packages/ethereum/primitives/promise-or-value.ts';
import { defineMethod, type Method } from '../rpc/method.ts';
import { integer64 } from '../rpc/schemas.ts';
import { blockNumberOrTag, resolveSafeTag } from './block-reference.ts';
import { scopeOfNothing } from './contract-scope.ts';
import type { MethodContext } from './method-context.ts';
import { EXAMPLE_UNCLE } from './result-examples.ts';
import { uncleBlock } from './result-schemas.ts';

export const ethGetUncleByBlockNumberAndIndex: Method<MethodContext> = defineMethod({
  name: 'eth_getUncleByBlockNumberAndIndex',
  summary: 'Returns an uncle of a block by block number and uncle position.',
  description:
    'The result is `null` for an unknown or future block, and for a position beyond the last uncle. Blocks after the merge have no uncles. On an embedded chain `totalDifficulty` of an uncle is null.',
  params: [
    { name: 'block', description: 'The block.', required: true, codec: blockNumberOrTag },
    { name: 'index', description: 'Position of the uncle.', required: true, codec: integer64 },
  ],
  result: { name: 'uncle', schema: uncleBlock.nullable() },
  contractScope: scopeOfNothing,
  cost: 150,
  errors: ['serverError'],
  example: { params: ['0x21', '0x0'], result: EXAMPLE_UNCLE },
  handle([block, index], { network, scope }) {
    const reference = resolveSafeTag(block, 0, network);
    const found = network.chain.blocks.getUncle(reference, index, scope);
    return continueWith(found, (json) => json ?? 'null');
  },
});
