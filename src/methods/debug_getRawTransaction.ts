import { defineMethod, type Method } from '../rpc/method.ts';
import { data } from '../rpc/schemas.ts';
import { scopeOfNothing } from './contract-scope.ts';
import { NO_BYTES, orElse, TRANSACTION_HASH_PARAM } from './lookups.ts';
import type { MethodContext } from './method-context.ts';
import { EXAMPLE_RAW_TRANSACTION, EXAMPLE_TRANSACTION } from './result-examples.ts';

export const debugGetRawTransaction: Method<MethodContext> = defineMethod({
  name: 'debug_getRawTransaction',
  summary: 'Returns the bytes of a transaction (EIP-2718) by its hash.',
  description: 'The result is `0x` for an unknown transaction.',
  params: [TRANSACTION_HASH_PARAM],
  result: { name: 'transaction', schema: data },
  contractScope: scopeOfNothing,
  cost: 1000,
  isOptIn: true,
  errors: ['serverError'],
  example: { params: [EXAMPLE_TRANSACTION['hash']], result: EXAMPLE_RAW_TRANSACTION },
  handle: ([hash], { network, scope }) =>
    orElse(network.chain.transactions.getRawTransaction({ hash }, scope), NO_BYTES),
});
