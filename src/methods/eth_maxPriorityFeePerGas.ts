import { defineMethod, type Method } from '../rpc/method.ts';
import { quantity256 } from '../rpc/schemas.ts';
import { scopeOfNothing } from './contract-scope.ts';
import type { MethodContext } from './method-context.ts';
import { requireAnswer } from './require-answer.ts';

const ETH_MAX_PRIORITY_FEE_PER_GAS = 'eth_maxPriorityFeePerGas';

export const ethMaxPriorityFeePerGas: Method<MethodContext> = defineMethod({
  name: ETH_MAX_PRIORITY_FEE_PER_GAS,
  summary: 'Suggests a priority fee that recent blocks accepted, in Wei per gas.',
  description:
    'An embedded chain computes the fee like geth with its defaults: the 60th percentile of the lowest tips of the last 20 blocks. If these blocks have no tips, the fee is 0.001 gwei. On networks of nodes a node suggests the fee. The service caches the fee for at most 3 s while the head is the same.',
  params: [],
  result: { name: 'priorityFee', schema: quantity256 },
  contractScope: scopeOfNothing,
  cost: 80,
  errors: ['methodNotFound', 'serverError'],
  example: { params: [], result: '0x5f5e100' },
  handle: (_, { network, scope }) =>
    requireAnswer(ETH_MAX_PRIORITY_FEE_PER_GAS, network.chain.fees.getPriorityFee(scope)),
});
