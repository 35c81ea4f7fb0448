import { defineMethod, type Method } from '../rpc/method.ts';
import { quantity64 } from '../rpc/schemas.ts';
import { scopeOfNothing } from './contract-scope.ts';
import type { MethodContext } from './method-context.ts';

export const netPeerCount: Method<MethodContext> = defineMethod({
  name: 'net_peerCount',
  summary: 'Connected peers: always `0x0`.',
  description:
    'The service is no peer of a network. The peers of a node that is behind it are not its own, and differ from node to node.',
  params: [],
  result: { name: 'peers', schema: quantity64 },
  contractScope: scopeOfNothing,
  cost: 5,
  isLocal: true,
  errors: [],
  example: { params: [], result: '0x0' },
  handle: () => '"0x0"',
});
