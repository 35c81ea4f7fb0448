import { defineMethod, type Method } from '../rpc/method.ts';
import { quantity256Result } from '../rpc/result-scalars.ts';
import { scopeOfNothing } from './contract-scope.ts';
import type { MethodContext } from './method-context.ts';
import { requireAnswer } from './require-answer.ts';

const ETH_BLOB_BASE_FEE = 'eth_blobBaseFee';

export const ethBlobBaseFee: Method<MethodContext> = defineMethod({
  name: ETH_BLOB_BASE_FEE,
  summary: 'Price of blob gas in the head, Wei per unit.',
  description:
    '`null` where the head has no such price (before Cancun). On nodes it is taken from `eth_feeHistory`, so that it means the head whichever ' +
    'client answers: some name the price of the next block.',
  params: [],
  result: { name: 'blobBaseFee', schema: quantity256Result.nullable() },
  contractScope: scopeOfNothing,
  cost: 80,
  errors: ['methodNotFound', 'serverError'],
  example: { params: [], result: '0x1' },
  handle: (_, { network, scope }) =>
    requireAnswer(ETH_BLOB_BASE_FEE, network.chain.fees.getBlobBaseFee(scope)),
});
