import { defineMethod, type Method } from '../rpc/method.ts';
import { boolean } from '../rpc/schemas.ts';
import { scopeOfNothing } from './contract-scope.ts';
import { EXAMPLE_FILTER_ID, filterIdSchema, findFilters, quoteId } from './filters/filter-id.ts';
import type { MethodContext } from './method-context.ts';

export const ethNewPendingTransactionFilter: Method<MethodContext> = defineMethod({
  name: 'eth_newPendingTransactionFilter',
  summary: 'Creates a filter for the pending transactions that nodes announce.',
  description:
    '`eth_getFilterChanges` returns the hashes of transactions that were first seen since the last poll. The result may be incomplete: each process returns only the hashes that it has seen itself. Each process begins to collect hashes with the first poll that it serves, and stores 16,384 hashes. With several workers or replicas, some hashes may be missing, or be returned twice. An embedded chain has no pending transactions, so its filter returns no hashes. If no node announces pending transactions, the method does not exist.',
  params: [
    {
      name: 'fullTransactions',
      description:
        'Whether polls return the transactions themselves, at most 100 a poll. Transactions that are no longer available are left out.',
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
