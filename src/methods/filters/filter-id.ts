import * as z from 'zod';
import type { JsonText } from '../../../packages/ethereum/primitives/json-result.ts';
import { RpcError } from '../../rpc/errors.ts';
import type { Param } from '../../rpc/method.ts';
import { createKindProblem } from '../../rpc/param-problem.ts';
import type { MethodContext } from '../method-context.ts';
import type { FilterPlace, Filters } from './filters.ts';

export const filterId: Param<string, true> = {
  name: 'id',
  description: 'Id of the filter, from the call that created it.',
  required: true,
  codec: {
    parse(raw) {
      if (typeof raw !== 'string') throw createKindProblem('string', raw);
      return raw;
    },
    jsonSchema: { title: 'filter id', type: 'string' },
  },
};

/** Result of the methods that create a filter. */
export const filterIdSchema: z.ZodType<string> = z
  .string()
  .regex(/^0x[1-9a-f][0-9a-f]{31}$/)
  .meta({ title: 'filter id' });

export const EXAMPLE_FILTER_ID = '0x6e5d1d3bfa3c5b5d4b0a98ea3c5e21f7';

export function quoteId(id: string): JsonText {
  return `"${id}"`;
}

/**
 * Returns the network's filters, and the feed, network and scope for calls of their methods.
 * @throws RpcError `methodNotFound` on a network without a feed
 */
export function findFilters(
  method: string,
  { network, scope }: MethodContext,
): { readonly filters: Filters; readonly place: FilterPlace } {
  const { feed, filters } = network;
  if (feed === undefined || filters === undefined) throw new RpcError('methodNotFound', method);
  return { filters, place: { feed, network, scope } };
}
