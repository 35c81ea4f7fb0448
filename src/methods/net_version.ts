import * as z from 'zod';
import { continueWith } from '../../packages/ethereum/primitives/promise-or-value.ts';
import { defineMethod, type Method } from '../rpc/method.ts';
import { scopeOfNothing } from './contract-scope.ts';
import type { MethodContext } from './method-context.ts';

export const netVersion: Method<MethodContext> = defineMethod({
  name: 'net_version',
  summary: 'Returns the network id as a decimal string. This service uses the chain id as the network id.',
  params: [],
  result: { name: 'networkId', schema: z.string().regex(/^[0-9]+$/) },
  contractScope: scopeOfNothing,
  cost: 5,
  isLocal: true,
  errors: ['unavailable'],
  example: { params: [], result: '7337' },
  handle: (_, { network: { chain }, scope }) =>
    continueWith(chain.findChainId?.(scope) ?? chain.chainId, (chainId) => `"${chainId}"`),
});
