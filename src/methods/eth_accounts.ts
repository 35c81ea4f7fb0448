import * as z from 'zod';
import { defineMethod, type Method } from '../rpc/method.ts';
import { address } from '../rpc/result-scalars.ts';
import type { MethodContext } from './method-context.ts';
import { touchesNothing } from './touches.ts';

export const ethAccounts: Method<MethodContext> = defineMethod({
  name: 'eth_accounts',
  summary: 'Accounts that the service signs for: none.',
  description: 'Nodes are not asked: what they may have is not for the clients of this service.',
  params: [],
  result: { name: 'accounts', schema: z.array(address) },
  touches: touchesNothing,
  cost: 5,
  isLocal: true,
  errors: [],
  example: { params: [], result: [] },
  handle: () => '[]',
});
