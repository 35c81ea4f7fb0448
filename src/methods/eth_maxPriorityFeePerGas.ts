import { defineMethod, type Method } from '../rpc/method.ts';
import { quantity256 } from '../rpc/schemas.ts';
import { scopeOfNothing } from './contract-scope.ts';
import type { MethodContext } from './method-context.ts';
import { requireAnswer } from './require-answer.ts';

const ETH_MAX_PRIORITY_FEE_PER_GAS = 'eth_maxPriorityFeePerGas';

export const ethMaxPriorityFeePerGas: Method<MethodContext> = defineMethod({
  name: ETH_MAX_PRIORITY_FEE_PER_GAS,
  summary: 'A priority fee that recent blocks accepted, Wei per gas.',
  description:
    'On an embedded chain as geth finds it with its defaults: the 60th percentile of the lowest tips of the last 20 blocks, 0.001 gwei where they show ' +
    'none. On nodes what a node suggests, kept for 3 s at most while the head is the same.',
  params: [],
  result: { name: 'priorityFee', schema: quantity256 },
  contractScope: scopeOfNothing,
  cost: 80,
  errors: ['methodNotFound', 'serverError'],
  example: { params: [], result: '0x5f5e100' },
  handle: (_, { network, scope }) =>
    requireAnswer(ETH_MAX_PRIORITY_FEE_PER_GAS, network.chain.fees.getPriorityFee(scope)),
});
