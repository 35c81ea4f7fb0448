import * as z from 'zod';
import { defineMethod, type Method } from '../rpc/method.ts';
import { scopeOfNothing } from './contract-scope.ts';
import type { MethodContext } from './method-context.ts';

export const netListening: Method<MethodContext> = defineMethod({
  name: 'net_listening',
  summary: 'Returns whether the service accepts connections. The result is always `true`, as in geth.',
  description: 'Clients use this method to see whether a provider is connected.',
  params: [],
  result: { name: 'listening', schema: z.literal(true) },
  contractScope: scopeOfNothing,
  cost: 5,
  isLocal: true,
  errors: [],
  example: { params: [], result: true },
  handle: () => 'true',
});
