import * as z from 'zod';
import { defineMethod, type Method } from '../rpc/method.ts';
import { scopeOfNothing } from './contract-scope.ts';
import { EXAMPLE_FILTER_ID, filterId, findFilters } from './filters/filter-id.ts';
import { countFurtherValues } from './log-filter.ts';
import type { MethodContext } from './method-context.ts';
import { EXAMPLE_LOG } from './result-examples.ts';
import { log } from './result-schemas.ts';
import { workFor } from './work-credits.ts';

export const ethGetFilterLogs: Method<MethodContext> = defineMethod({
  name: 'eth_getFilterLogs',
  summary: 'Returns the logs that `eth_getLogs` returns for the criteria and the block range of a filter.',
  description:
    'Without `fromBlock` and `toBlock`, the result has the logs of the head. `eth_getFilterLogs` is not a poll: it does not change the next result of `eth_getFilterChanges`, and does not extend the lifetime of the filter.',
  params: [filterId],
  result: { name: 'logs', schema: z.array(log) },
  contractScope: scopeOfNothing,
  cost: 255,
  errors: ['serverError', 'tooManyLogs', 'recordsUnavailable'],
  example: { params: [EXAMPLE_FILTER_ID], result: [EXAMPLE_LOG] },
  async handle([id], context) {
    const { filters } = findFilters('eth_getFilterLogs', context);
    const { network, scope } = context;
    const filter = await filters.findLogFilter(id, scope);
    return workFor(scope, 'eth_getLogs_further100Values', countFurtherValues(filter), () =>
      network.chain.logs.getLogs(filter, scope),
    );
  },
});
