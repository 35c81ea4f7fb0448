import * as z from 'zod';
import { defineMethod, type Method } from '../rpc/method.ts';
import { hash32Result } from '../rpc/result-scalars.ts';
import { scopeOfNothing } from './contract-scope.ts';
import { EXAMPLE_FILTER_ID, filterId, findFilters } from './filters/filter-id.ts';
import type { MethodContext } from './method-context.ts';
import { EXAMPLE_LOG } from './result-examples.ts';
import { log, transaction } from './result-schemas.ts';

export const ethGetFilterChanges: Method<MethodContext> = defineMethod({
  name: 'eth_getFilterChanges',
  summary: 'Returns the events since the last poll of a filter: hashes of blocks, logs, or transactions.',
  description:
    'Each block and each log is returned once, in order. This holds even if several clients poll one filter, or several workers or replicas serve the polls. Logs of blocks that left the chain are returned again with `removed: true`, the newest first, before the logs of the new branch. If the answer to a poll was not sent, the next poll returns the same events again. An answer that reaches 10,000 logs or 8 MiB ends after the block of the last log, and the next poll continues after this block. If the service no longer knows the events since the last poll (too many blocks, or a branch that no node has), it removes the filter and returns an error that begins with `filter not found`. After `filter not found`, create another filter, and read the missing logs with `eth_getLogs`.',
  params: [filterId],
  result: { name: 'changes', schema: z.array(z.union([hash32Result, log, transaction])) },
  contractScope: scopeOfNothing,
  cost: 140,
  errors: ['serverError', 'recordsUnavailable'],
  example: { params: [EXAMPLE_FILTER_ID], result: [EXAMPLE_LOG] },
  handle([id], context) {
    const { filters, place } = findFilters('eth_getFilterChanges', context);
    return filters.poll(id, place);
  },
});
