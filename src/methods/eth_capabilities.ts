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
      .meta({ description: 'If `type` is `window`, `retentionBlocks` blocks up to the head are stored.' })
      .optional(),
  })
  .meta({ title: 'resource' });

export const ethCapabilities: Method<MethodContext> = defineMethod({
  name: ETH_CAPABILITIES,
  summary: 'Returns the head, and the first block from which each kind of data is available.',
  description:
    'An embedded chain stores everything from the genesis block on. On networks served by upstream nodes, the result is the report of one node, in which the service replaces the head by the served head. A request for data that this node lacks goes to another node.',
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
