import * as z from 'zod';
import { defineMethod, type Method } from '../rpc/method.ts';
import { scopeOfNothing } from './contract-scope.ts';
import type { MethodContext } from './method-context.ts';

export const ethSyncing: Method<MethodContext> = defineMethod({
  name: 'eth_syncing',
  summary: 'Returns whether the network is syncing. The result is always `false`.',
  description:
    'An embedded chain has all imported blocks. On networks served by upstream nodes, the result describes the network, not one node. The service serves a head as soon as enough nodes report it; nodes that are still behind do not count. While no head can be served, `eth_syncing` fails like all other calls.',
  params: [],
  result: { name: 'syncing', schema: z.literal(false) },
  contractScope: scopeOfNothing,
  cost: 5,
  errors: ['serverError'],
  example: { params: [], result: false },
  handle: (_, { network, scope }) => network.chain.node.getSyncing(scope),
});
