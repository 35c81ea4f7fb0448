import { defineMethod, type Method } from '../rpc/method.ts';
import { scopeOfLogs } from './contract-scope.ts';
import { EXAMPLE_FILTER_ID, filterIdSchema, findFilters, quoteId } from './filters/filter-id.ts';
import { checkFilterRange } from './filters/filter-range.ts';
import { logFilter } from './log-filter.ts';
import type { MethodContext } from './method-context.ts';
import { EXAMPLE_LOG } from './result-examples.ts';

export const ethNewFilter: Method<MethodContext> = defineMethod({
  name: 'eth_newFilter',
  summary: 'Creates a filter for logs. `eth_getFilterChanges` returns the logs of new blocks.',
  description:
    'If `fromBlock` and `toBlock` are numbers, they bound the blocks of these logs. As in geth, only `eth_getFilterLogs` returns logs of blocks from before the filter. A range that ends at a number must also begin at a number. `safe`, `finalized` and `pending` cannot bound a filter. With `blockHash`, `eth_getFilterLogs` returns the logs of that block. A filter belongs to its key and its network. Every process of the service knows the filter. A filter ends when no poll has come for `limits.filterLife` (5 minutes). A key can have `limits.filters` (1,000) filters.',
  params: [{ name: 'filter', description: 'Which logs.', required: true, codec: logFilter }],
  result: { name: 'id', schema: filterIdSchema },
  contractScope: scopeOfLogs,
  cost: 80,
  errors: ['serverError', 'tooManyFilters', 'recordsUnavailable'],
  example: {
    params: [{ address: EXAMPLE_LOG.address, topics: [EXAMPLE_LOG.topics[0]] }],
    result: EXAMPLE_FILTER_ID,
  },
  handle([filter], context) {
    const { filters, place } = findFilters('eth_newFilter', context);
    checkFilterRange(filter.blocks);
    return filters.create({ kind: 'logs', filter }, place).then(quoteId);
  },
});
