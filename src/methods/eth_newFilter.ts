import { defineMethod, type Method } from '../rpc/method.ts';
import { scopeOfLogs } from './contract-scope.ts';
import { EXAMPLE_FILTER_ID, filterIdSchema, findFilters, quoteId } from './filters/filter-id.ts';
import { checkFilterRange } from './filters/filter-range.ts';
import { logFilter } from './log-filter.ts';
import type { MethodContext } from './method-context.ts';
import { EXAMPLE_LOG } from './result-examples.ts';

export const ethNewFilter: Method<MethodContext> = defineMethod({
  name: 'eth_newFilter',
  summary: 'Creates a filter for logs. `eth_getFilterChanges` returns the matching logs of new blocks.',
  description:
    'If `fromBlock` and `toBlock` are numbers, `eth_getFilterChanges` returns only logs of blocks in this range. As in geth, only `eth_getFilterLogs` returns logs of blocks that are older than the filter. If `toBlock` is a number, `fromBlock` must be a number too. `fromBlock` and `toBlock` of a filter cannot be `safe`, `finalized` or `pending`. With `blockHash`, `eth_getFilterLogs` returns the logs of the block with this hash. A filter belongs to the key and the network with which it was created. Every process of the service can serve the polls of every filter. The service removes a filter that has not been polled for `limits.filterLife` (5 minutes). A key can have `limits.filters` (1,000) filters.',
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
