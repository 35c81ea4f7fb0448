import { defineMethod, type Method } from '../rpc/method.ts';
import { scopeOfLogs } from './contract-scope.ts';
import { EXAMPLE_FILTER_ID, filterIdSchema, findFilters, quoteId } from './filters/filter-id.ts';
import { checkFilterRange } from './filters/filter-range.ts';
import { logFilter } from './log-filter.ts';
import type { MethodContext } from './method-context.ts';
import { EXAMPLE_LOG } from './result-examples.ts';

export const ethNewFilter: Method<MethodContext> = defineMethod({
  name: 'eth_newFilter',
  summary: 'Makes a filter for logs: `eth_getFilterChanges` gives those of blocks that come from now on.',
  description:
    'Of `fromBlock` and `toBlock` numbers bound the blocks that logs are given of; logs of blocks that are there already are given by `eth_getFilterLogs` ' +
    'alone, as in geth. A range that ends at a number begins at one too; `safe`, `finalized` and `pending` are no bounds of a filter. ' +
    'With `blockHash`, `eth_getFilterLogs` gives the logs of that block. ' +
    'A filter belongs to its key and its network and is known to every process of the service. It ends when it has not been polled for ' +
    '`limits.filterLife` (5 minutes), and a key can have `limits.filters` (1,000) of them.',
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
