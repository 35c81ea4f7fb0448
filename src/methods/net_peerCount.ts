import { defineMethod, type Method } from '../rpc/method.ts';
import { quantity64 } from '../rpc/schemas.ts';
import { scopeOfNothing } from './contract-scope.ts';
import type { MethodContext } from './method-context.ts';

export const netPeerCount: Method<MethodContext> = defineMethod({
  name: 'net_peerCount',
  summary: 'Returns the number of connected peers. The result is always `0x0`.',
  description:
    'The service has no peers. Peers of the nodes do not count, because their number differs from node to node.',
  params: [],
  result: { name: 'peers', schema: quantity64 },
  contractScope: scopeOfNothing,
  cost: 5,
  isLocal: true,
  errors: [],
  example: { params: [], result: '0x0' },
  handle: () => '"0x0"',
});
