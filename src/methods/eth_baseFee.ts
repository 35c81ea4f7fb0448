import { defineMethod, type Method } from '../rpc/method.ts';
import { quantity256Result } from '../rpc/result-scalars.ts';
import { scopeOfNothing } from './contract-scope.ts';
import type { MethodContext } from './method-context.ts';
import { requireAnswer } from './require-answer.ts';

const ETH_BASE_FEE = 'eth_baseFee';

export const ethBaseFee: Method<MethodContext> = defineMethod({
  name: ETH_BASE_FEE,
  summary: 'Returns the base fee of the block after the head, in Wei per gas.',
  description:
    'The base fee follows from the head alone (EIP-1559). The result is `null` if the block after the head has no base fee (before London). On networks served by upstream nodes, the service reads the base fee from `eth_feeHistory`, because some node clients lack `eth_baseFee`.',
  params: [],
  result: { name: 'baseFee', schema: quantity256Result.nullable() },
  contractScope: scopeOfNothing,
  cost: 80,
  errors: ['methodNotFound', 'serverError'],
  example: { params: [], result: '0x50d097' },
  handle: (_, { network, scope }) => requireAnswer(ETH_BASE_FEE, network.chain.fees.getBaseFee(scope)),
});
