import { encodeQuantity } from '../primitives/quantity.ts';
import { defineMethod, type Method } from '../rpc/method.ts';
import { quantity256 } from '../rpc/schemas.ts';
import type { MethodContext } from './method-context.ts';
import { touchesNothing } from './touches.ts';

export const ethChainId: Method<MethodContext> = defineMethod({
  name: 'eth_chainId',
  summary: 'Chain id of the network (EIP-155).',
  params: [],
  result: { name: 'chainId', schema: quantity256 },
  touches: touchesNothing,
  cost: 5,
  isLocal: true,
  errors: [],
  example: { params: [], result: '0x1ca9' },
  handle: (_, { network }) => `"${encodeQuantity(network.chain.chainId)}"`,
});
