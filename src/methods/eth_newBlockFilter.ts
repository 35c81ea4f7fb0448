import { defineMethod, type Method } from '../rpc/method.ts';
import { scopeOfNothing } from './contract-scope.ts';
import { EXAMPLE_FILTER_ID, filterIdSchema, findFilters, quoteId } from './filters/filter-id.ts';
import type { MethodContext } from './method-context.ts';

export const ethNewBlockFilter: Method<MethodContext> = defineMethod({
  name: 'eth_newBlockFilter',
  summary: 'Creates a filter for blocks. `eth_getFilterChanges` returns the hashes of new blocks.',
  description:
    'After a reorg `eth_getFilterChanges` returns every block of the new branch. For the lifetime and the maximum number of filters, see `eth_newFilter`.',
  params: [],
  result: { name: 'id', schema: filterIdSchema },
  contractScope: scopeOfNothing,
  cost: 80,
  errors: ['tooManyFilters', 'recordsUnavailable'],
  example: { params: [], result: EXAMPLE_FILTER_ID },
  handle(_, context) {
    const { filters, place } = findFilters('eth_newBlockFilter', context);
    return filters.create({ kind: 'blocks' }, place).then(quoteId);
  },
});
