import { defineMethod, type Method } from '../rpc/method.ts';
import { scopeOfNothing } from './contract-scope.ts';
import { orNull, TRANSACTION_HASH_PARAM } from './lookups.ts';
import type { MethodContext } from './method-context.ts';
import { EXAMPLE_RECEIPTS, EXAMPLE_TRANSACTION } from './result-examples.ts';
import { receipt } from './result-schemas.ts';

export const ethGetTransactionReceipt: Method<MethodContext> = defineMethod({
  name: 'eth_getTransactionReceipt',
  summary: 'Returns the receipt of a mined transaction by its hash.',
  description: 'The result is `null` until a block up to the served head contains the transaction.',
  params: [TRANSACTION_HASH_PARAM],
  result: { name: 'receipt', schema: receipt.nullable() },
  contractScope: scopeOfNothing,
  cost: 80,
  errors: ['serverError'],
  example: { params: [EXAMPLE_TRANSACTION['hash']], result: EXAMPLE_RECEIPTS[0] },
  handle: ([hash], { network, scope }) => orNull(network.chain.transactions.getReceipt(hash, scope)),
});
