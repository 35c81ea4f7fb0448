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
  summary: 'What has happened since the last poll of a filter: hashes of blocks, logs, or transactions.',
  description:
    'Each block and log is given once, in order, also where several clients poll one filter, by whichever worker or replica; logs of blocks that left the chain come again with `removed: true`, the last one ' +
    'first, before those of the blocks that took their place. An answer that was not sent is given again by the next poll. An answer has 10,000 logs or 8 MiB, and then all others of the same block; ' +
    'the next poll goes on behind it. Where the service does not know any more what has happened since the last poll (too many blocks, or a branch that no node has), it removes the filter and says so ' +
    'in a message that begins with `filter not found`: make another one and read what lies between with `eth_getLogs`.',
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
