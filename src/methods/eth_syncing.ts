import * as z from 'zod';
import { defineMethod, type Method } from '../rpc/method.ts';
import { scopeOfNothing } from './contract-scope.ts';
import type { MethodContext } from './method-context.ts';

export const ethSyncing: Method<MethodContext> = defineMethod({
  name: 'eth_syncing',
  summary: 'Whether the network is behind: always `false`.',
  description:
    'An embedded chain has all that was imported. On nodes it is the network that is asked, not one of them: a head is served as soon as enough nodes ' +
    'agree on it, and those that are still behind have no part in it. While no head can be served the call fails, as all others do.',
  params: [],
  result: { name: 'syncing', schema: z.literal(false) },
  contractScope: scopeOfNothing,
  cost: 5,
  errors: ['serverError'],
  example: { params: [], result: false },
  handle: (_, { network, scope }) => network.chain.node.getSyncing(scope),
});
