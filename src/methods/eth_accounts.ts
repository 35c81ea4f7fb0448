import * as z from 'zod';
import { defineMethod, type Method } from '../rpc/method.ts';
import { addressResult } from '../rpc/result-scalars.ts';
import { scopeOfNothing } from './contract-scope.ts';
import { callDevelopmentNode } from './development-method.ts';
import type { MethodContext } from './method-context.ts';

const NAME = 'eth_accounts';

export const ethAccounts: Method<MethodContext> = defineMethod({
  name: NAME,
  summary:
    'Returns the accounts with which the service can sign. The service has no accounts, so the result is `[]`.',
  description:
    'The service does not request the accounts of nodes, because clients must not sign with them. Exception: on a development network, a client that may send from the accounts of the node gets these accounts (docs/upstreams.md, Development nodes).',
  params: [],
  result: { name: 'accounts', schema: z.array(addressResult) },
  contractScope: scopeOfNothing,
  cost: 5,
  isLocal: true,
  errors: [],
  example: { params: [], result: [] },
  handle: (_, context) => (context.development === 'granted' ? callDevelopmentNode(NAME, [], context) : '[]'),
});
