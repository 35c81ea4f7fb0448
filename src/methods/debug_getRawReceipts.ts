import * as z from 'zod';
import { defineMethod, type Method } from '../rpc/method.ts';
import { dataResult } from '../rpc/result-scalars.ts';
import { scopeOfNothing } from './contract-scope.ts';
import { ANY_BLOCK_PARAM } from './lookups.ts';
import type { MethodContext } from './method-context.ts';
import { getRawReceipts } from './raw-blocks.ts';
import { EXAMPLE_RAW_RECEIPT } from './result-examples.ts';

export const debugGetRawReceipts: Method<MethodContext> = defineMethod({
  name: 'debug_getRawReceipts',
  summary: 'Returns the receipts of a block in the encoding of the receipts trie (EIP-2718).',
  description: 'The result is `null` for an unknown block number, and `[]` for an unknown block hash.',
  params: [ANY_BLOCK_PARAM],
  result: { name: 'receipts', schema: z.array(dataResult).nullable() },
  contractScope: scopeOfNothing,
  cost: 1000,
  isOptIn: true,
  errors: ['serverError'],
  example: { params: ['0x20'], result: [EXAMPLE_RAW_RECEIPT] },
  handle: ([block], context) => getRawReceipts(block, context),
});
