import * as z from 'zod';
import { defineMethod, type Method } from '../rpc/method.ts';
import type { MethodContext } from './method-context.ts';
import { touchesNothing } from './touches.ts';

export const netVersion: Method<MethodContext> = defineMethod({
  name: 'net_version',
  summary: 'Network id as a decimal string; here it is the chain id.',
  params: [],
  result: { name: 'networkId', schema: z.string().regex(/^[0-9]+$/) },
  touches: touchesNothing,
  cost: 5,
  isLocal: true,
  errors: [],
  example: { params: [], result: '7337' },
  handle: (_, { network }) => `"${network.chain.chainId}"`,
});
