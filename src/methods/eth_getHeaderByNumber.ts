import { defineMethod, type Method } from '../rpc/method.ts';
import { scopeOfNothing } from './contract-scope.ts';
import { NUMBER_PARAM, orNull } from './lookups.ts';
import type { MethodContext } from './method-context.ts';
import { EXAMPLE_HEADER } from './result-examples.ts';
import { header } from './result-schemas.ts';

export const ethGetHeaderByNumber: Method<MethodContext> = defineMethod({
  name: 'eth_getHeaderByNumber',
  summary: 'Returns the header of a block, by number or tag.',
  description:
    'A header is a block without size, transactions, uncles and withdrawals. The result is `null` for an unknown block and for `pending`.',
  params: [NUMBER_PARAM],
  result: { name: 'header', schema: header.nullable() },
  contractScope: scopeOfNothing,
  cost: 80,
  errors: ['serverError'],
  example: { params: ['0x21'], result: EXAMPLE_HEADER },
  handle: ([reference], { network, scope }) => orNull(network.chain.blocks.getHeaderObject(reference, scope)),
});
