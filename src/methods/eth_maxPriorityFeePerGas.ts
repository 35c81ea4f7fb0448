import { defineMethod, type Method } from '../rpc/method.ts';
import { quantity256 } from '../rpc/schemas.ts';
import { scopeOfNothing } from './contract-scope.ts';
import type { MethodContext } from './method-context.ts';
import { requireAnswer } from './require-answer.ts';

const ETH_MAX_PRIORITY_FEE_PER_GAS = 'eth_maxPriorityFeePerGas';

export const ethMaxPriorityFeePerGas: Method<MethodContext> = defineMethod({
  name: ETH_MAX_PRIORITY_FEE_PER_GAS,
  summary: 'Suggests a priority fee in Wei per gas, computed from fees in recent blocks.',
  description:
    'An embedded chain computes the fee like geth with default settings: the 60th percentile of the lowest tips of the last 20 blocks. If the last 20 blocks have no tips, the fee is 0.001 gwei. On networks served by upstream nodes, a node suggests the fee. The service caches the fee until the head changes, for at most 3 s.',
  params: [],
  result: { name: 'priorityFee', schema: quantity256 },
  contractScope: scopeOfNothing,
  cost: 80,
  errors: ['methodNotFound', 'serverError'],
  example: { params: [], result: '0x5f5e100' },
  handle: (_, { network, scope }) =>
    requireAnswer(ETH_MAX_PRIORITY_FEE_PER_GAS, network.chain.fees.getPriorityFee(scope)),
});
