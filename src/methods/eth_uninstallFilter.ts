import * as z from 'zod';
import { defineMethod, type Method } from '../rpc/method.ts';
import { scopeOfNothing } from './contract-scope.ts';
import { EXAMPLE_FILTER_ID, filterId, findFilters } from './filters/filter-id.ts';
import type { MethodContext } from './method-context.ts';

export const ethUninstallFilter: Method<MethodContext> = defineMethod({
  name: 'eth_uninstallFilter',
  summary: 'Removes a filter.',
  params: [filterId],
  result: { name: 'wasThere', schema: z.boolean() },
  contractScope: scopeOfNothing,
  cost: 80,
  errors: ['recordsUnavailable'],
  example: { params: [EXAMPLE_FILTER_ID], result: true },
  async handle([id], context) {
    const { filters } = findFilters('eth_uninstallFilter', context);
    return String(await filters.remove(id, context.scope));
  },
});
