import * as z from 'zod';
import { defineMethod, type Method } from '../rpc/method.ts';
import { scopeOfNothing } from './contract-scope.ts';
import type { MethodContext } from './method-context.ts';

export const web3ClientVersion: Method<MethodContext> = defineMethod({
  name: 'web3_clientVersion',
  summary: 'Returns the name and version of the service.',
  params: [],
  result: { name: 'version', schema: z.string() },
  contractScope: scopeOfNothing,
  cost: 5,
  isLocal: true,
  errors: [],
  example: { params: [], result: 'portcullis/0.2.0' },
  handle: (_, { clientVersion }) => JSON.stringify(clientVersion),
});
