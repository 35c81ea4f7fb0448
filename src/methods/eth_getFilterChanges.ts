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
  summary:
    'Returns what has happened since the last poll of a filter: hashes of blocks, logs, or transactions.',
  description:
    'Each block and each log comes once, in order, even if several clients poll one filter, or several workers or replicas serve the polls. Logs of blocks that left the chain come again with `removed: true`. The last of them comes first, and all of them come before the logs of the new branch. If an answer was not sent, the next poll returns it again. An answer ends at the end of the block with which it reaches 10,000 logs or 8 MiB. The next poll continues after this block. The service may no longer know what has happened since the last poll (too many blocks, or a branch that no node has). It then removes the filter and returns a message that begins with `filter not found`. Create another filter, and read the missing logs with `eth_getLogs`.',
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
