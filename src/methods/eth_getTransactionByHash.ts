import { defineMethod, type Method } from '../rpc/method.ts';
import { scopeOfNothing } from './contract-scope.ts';
import { orNull, TRANSACTION_HASH_PARAM } from './lookups.ts';
import type { MethodContext } from './method-context.ts';
import { EXAMPLE_TRANSACTION } from './result-examples.ts';
import { transaction } from './result-schemas.ts';

export const ethGetTransactionByHash: Method<MethodContext> = defineMethod({
  name: 'eth_getTransactionByHash',
  summary: 'Returns a transaction by its hash.',
  description:
    'The result is `null` for an unknown transaction. A transaction counts as pending while no block up to the served head contains it.',
  params: [TRANSACTION_HASH_PARAM],
  result: { name: 'transaction', schema: transaction.nullable() },
  contractScope: scopeOfNothing,
  cost: 80,
  errors: ['serverError'],
  example: { params: [EXAMPLE_TRANSACTION['hash']], result: EXAMPLE_TRANSACTION },
  handle: ([hash], { network, scope }) => orNull(network.chain.transactions.getTransaction({ hash }, scope)),
});
