import { defineMethod, type Method } from '../rpc/method.ts';
import { quantity256Result } from '../rpc/result-scalars.ts';
import { scopeOfNothing } from './contract-scope.ts';
import type { MethodContext } from './method-context.ts';
import { requireAnswer } from './require-answer.ts';

const ETH_BLOB_BASE_FEE = 'eth_blobBaseFee';

export const ethBlobBaseFee: Method<MethodContext> = defineMethod({
  name: ETH_BLOB_BASE_FEE,
  summary: 'Returns the blob base fee of the head, in Wei per unit of blob gas.',
  description:
    'The result is `null` if the head has no blob base fee (before Cancun). Some node clients return the blob base fee of the next block, not of the head. On networks served by upstream nodes, the service therefore reads the blob base fee of the head from `eth_feeHistory`.',
  params: [],
  result: { name: 'blobBaseFee', schema: quantity256Result.nullable() },
  contractScope: scopeOfNothing,
  cost: 80,
  errors: ['methodNotFound', 'serverError'],
  example: { params: [], result: '0x1' },
  handle: (_, { network, scope }) =>
    requireAnswer(ETH_BLOB_BASE_FEE, network.chain.fees.getBlobBaseFee(scope)),
});
