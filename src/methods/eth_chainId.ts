import { continueWith } from '../../packages/ethereum/primitives/promise-or-value.ts';
import { encodeQuantity } from '../../packages/ethereum/primitives/quantity.ts';
import { defineMethod, type Method } from '../rpc/method.ts';
import { quantity256 } from '../rpc/schemas.ts';
import { scopeOfNothing } from './contract-scope.ts';
import type { MethodContext } from './method-context.ts';

const encodeJson = (chainId: bigint): string => `"${encodeQuantity(chainId)}"`;

export const ethChainId: Method<MethodContext> = defineMethod({
  name: 'eth_chainId',
  summary: 'Returns the chain id of the network (EIP-155).',
  params: [],
  result: { name: 'chainId', schema: quantity256 },
  contractScope: scopeOfNothing,
  cost: 5,
  isLocal: true,
  errors: ['unavailable'],
  example: { params: [], result: '0x1ca9' },
  handle: (_, { network: { chain }, scope }) =>
    continueWith(chain.findChainId?.(scope) ?? chain.chainId, encodeJson),
});
