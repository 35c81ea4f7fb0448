import * as z from 'zod';
import { defineMethod, type Method } from '../rpc/method.ts';
import { addressResult } from '../rpc/result-scalars.ts';
import { scopeOfNothing } from './contract-scope.ts';
import { callDevelopmentNode } from './development-method.ts';
import type { MethodContext } from './method-context.ts';

const NAME = 'eth_accounts';

export const ethAccounts: Method<MethodContext> = defineMethod({
  name: NAME,
  summary: 'Accounts that the service signs for: none.',
  description:
    'Nodes are not asked: what they may have is not for the clients of this service. On development networks the accounts of the node, for clients that may send from them (docs/upstreams.md, Development nodes).',
  params: [],
  result: { name: 'accounts', schema: z.array(addressResult) },
  contractScope: scopeOfNothing,
  cost: 5,
  isLocal: true,
  errors: [],
  example: { params: [], result: [] },
  handle: (_, context) => (context.development === 'granted' ? callDevelopmentNode(NAME, [], context) : '[]'),
});
