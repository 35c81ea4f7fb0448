import { defineMethod, type Method } from '../rpc/method.ts';
import { boolean } from '../rpc/schemas.ts';
import { scopeOfNothing } from './contract-scope.ts';
import { EXAMPLE_FILTER_ID, filterIdSchema, findFilters, quoteId } from './filters/filter-id.ts';
import type { MethodContext } from './method-context.ts';

export const ethNewPendingTransactionFilter: Method<MethodContext> = defineMethod({
  name: 'eth_newPendingTransactionFilter',
  summary: 'Makes a filter for transactions that wait for a block, as far as nodes announce them.',
  description:
    '`eth_getFilterChanges` gives the hashes of those that were first seen since the last poll: best effort, by the process that is asked. Each process begins to ' +
    'watch with the first poll that it gets, and keeps 16,384 hashes: with several workers or replicas some may be left out, or given twice. An embedded chain has no such ' +
    'transactions, and the filter gives none; where no node announces any the method does not exist.',
  params: [
    {
      name: 'fullTransactions',
      description:
        'The transactions themselves, at most 100 a poll; those that are not to be had any more are left out.',
      required: false,
      codec: boolean,
    },
  ],
  result: { name: 'id', schema: filterIdSchema },
  contractScope: scopeOfNothing,
  cost: 80,
  errors: ['methodNotFound', 'tooManyFilters', 'recordsUnavailable'],
  example: { params: [], result: EXAMPLE_FILTER_ID },
  handle([isFull = false], context) {
    const { filters, place } = findFilters('eth_newPendingTransactionFilter', context);
    return filters.create({ kind: 'pending', isFull }, place).then(quoteId);
  },
});
