import { defineMethod, type Method } from '../rpc/method.ts';
import { quantity256 } from '../rpc/schemas.ts';
import { scopeOfNothing } from './contract-scope.ts';
import type { MethodContext } from './method-context.ts';
import { requireAnswer } from './require-answer.ts';

const ETH_GAS_PRICE = 'eth_gasPrice';

export const ethGasPrice: Method<MethodContext> = defineMethod({
  name: ETH_GAS_PRICE,
  summary: 'Suggests a gas price in Wei per gas, for legacy transactions (without a priority fee).',
  description:
    "On an embedded chain the price is the head's base fee plus the result of `eth_maxPriorityFeePerGas`. On networks served by upstream nodes, a node suggests the price. The service caches the price until the head changes, for at most 3 s.",
  params: [],
  result: { name: 'gasPrice', schema: quantity256 },
  contractScope: scopeOfNothing,
  cost: 80,
  errors: ['methodNotFound', 'serverError'],
  example: { params: [], result: '0x6522545' },
  handle: (_, { network, scope }) => requireAnswer(ETH_GAS_PRICE, network.chain.fees.getGasPrice(scope)),
});
