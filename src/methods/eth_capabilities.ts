import * as z from 'zod';
import { defineMethod, type Method } from '../rpc/method.ts';
import { hash32Result, quantity64Result } from '../rpc/result-scalars.ts';
import { scopeOfNothing } from './contract-scope.ts';
import type { MethodContext } from './method-context.ts';
import { requireAnswer } from './require-answer.ts';
import { EXAMPLE_CAPABILITIES } from './result-examples.ts';

const ETH_CAPABILITIES = 'eth_capabilities';

const resource: z.ZodType = z
  .looseObject({
    disabled: z.boolean(),
    oldestBlock: quantity64Result.optional(),
    deleteStrategy: z
      .record(z.string(), z.string())
      .meta({ description: '`type` is `window`: only `retentionBlocks` blocks up to the head are kept.' })
      .optional(),
  })
  .meta({ title: 'resource' });

export const ethCapabilities: Method<MethodContext> = defineMethod({
  name: ETH_CAPABILITIES,
  summary: 'The head, and from which block on each kind of data is there.',
  description:
    'An embedded chain keeps everything from the genesis block on. On nodes what a node says of itself, with the served head: what it does not have, ' +
    'the others are asked for.',
  params: [],
  result: {
    name: 'capabilities',
    schema: z
      .looseObject({
        head: z.looseObject({ number: quantity64Result, hash: hash32Result }).meta({ title: 'head' }),
        state: resource,
        tx: resource,
        logs: resource,
        receipts: resource,
        blocks: resource,
        stateproofs: resource,
      })
      .meta({ title: 'capabilities' }),
  },
  contractScope: scopeOfNothing,
  cost: 80,
  errors: ['methodNotFound', 'serverError'],
  example: { params: [], result: EXAMPLE_CAPABILITIES },
  handle: (_, { network, scope }) =>
    requireAnswer(ETH_CAPABILITIES, network.chain.node.getCapabilities(scope)),
});
