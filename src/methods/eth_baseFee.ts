import { defineMethod, type Method } from '../rpc/method.ts';
import { quantity256Result } from '../rpc/result-scalars.ts';
import { scopeOfNothing } from './contract-scope.ts';
import type { MethodContext } from './method-context.ts';
import { requireAnswer } from './require-answer.ts';

const ETH_BASE_FEE = 'eth_baseFee';

export const ethBaseFee: Method<MethodContext> = defineMethod({
  name: ETH_BASE_FEE,
  summary: 'Base fee of the block after the head, Wei per gas.',
  description:
    'It follows from the head alone. `null` where that block has no base fee (before London). On nodes it is taken from `eth_feeHistory`, ' +
    'which clients have that lack this method.',
  params: [],
  result: { name: 'baseFee', schema: quantity256Result.nullable() },
  contractScope: scopeOfNothing,
  cost: 80,
  errors: ['methodNotFound', 'serverError'],
  example: { params: [], result: '0x50d097' },
  handle: (_, { network, scope }) => requireAnswer(ETH_BASE_FEE, network.chain.fees.getBaseFee(scope)),
});
