import { continueWith } from '../../packages/ethereum/primitives/promise-or-value.ts';
import { defineMethod, type Method } from '../rpc/method.ts';
import { integer64 } from '../rpc/schemas.ts';
import { blockNumberOrTag, resolveSafeTag } from './block-reference.ts';
import { scopeOfNothing } from './contract-scope.ts';
import type { MethodContext } from './method-context.ts';
import { EXAMPLE_TRANSACTION } from './result-examples.ts';
import { transaction } from './result-schemas.ts';

export const ethGetTransactionByBlockNumberAndIndex: Method<MethodContext> = defineMethod({
  name: 'eth_getTransactionByBlockNumberAndIndex',
  summary: 'Returns a transaction by block number and position in the block.',
  description:
    'The result is `null` for an unknown or future block, and for a position beyond the last transaction.',
  params: [
    { name: 'block', description: 'The block.', required: true, codec: blockNumberOrTag },
    { name: 'index', description: 'Position of the transaction.', required: true, codec: integer64 },
  ],
  result: { name: 'transaction', schema: transaction.nullable() },
  contractScope: scopeOfNothing,
  cost: 150,
  errors: ['serverError'],
  example: { params: ['0x20', '0x0'], result: EXAMPLE_TRANSACTION },
  handle([block, index], { network, scope }) {
    const reference = resolveSafeTag(block, 0, network);
    const found = network.chain.transactions.getTransaction({ block: reference, index }, scope);
    return continueWith(found, (json) => json ?? 'null');
  },
});
