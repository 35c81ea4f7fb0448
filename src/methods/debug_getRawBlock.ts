import { defineMethod, type Method } from '../rpc/method.ts';
import { data } from '../rpc/schemas.ts';
import { scopeOfNothing } from './contract-scope.ts';
import { ANY_BLOCK_PARAM } from './lookups.ts';
import type { MethodContext } from './method-context.ts';
import { getRawBytes } from './raw-blocks.ts';
import { EXAMPLE_RAW_BLOCK } from './result-examples.ts';

export const debugGetRawBlock: Method<MethodContext> = defineMethod({
  name: 'debug_getRawBlock',
  summary: 'Returns a block as RLP.',
  description:
    'The result is `0x` for an unknown block number. An unknown block hash and `pending` cause an error.',
  params: [ANY_BLOCK_PARAM],
  result: { name: 'block', schema: data },
  contractScope: scopeOfNothing,
  cost: 1000,
  isOptIn: true,
  errors: ['serverError'],
  example: { params: ['0x0'], result: EXAMPLE_RAW_BLOCK },
  handle: ([block], context) => getRawBytes(block, 'block', context),
});
