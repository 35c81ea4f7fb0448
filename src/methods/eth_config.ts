import * as z from 'zod';
import { defineMethod, type Method } from '../rpc/method.ts';
import { addressResult, quantity256Result } from '../rpc/result-scalars.ts';
import { scopeOfNothing } from './contract-scope.ts';
import type { MethodContext } from './method-context.ts';
import { requireAnswer } from './require-answer.ts';
import { EXAMPLE_CONFIG } from './result-examples.ts';

const ETH_CONFIG = 'eth_config';
const count: z.ZodType = z.number().int().nonnegative();

const forkConfig: z.ZodType = z
  .looseObject({
    activationTime: count.meta({ description: 'Seconds since 1970. 0 means from the genesis block on.' }),
    blobSchedule: z
      .looseObject({ target: count, max: count, baseFeeUpdateFraction: count })
      .meta({ title: 'blob schedule', description: 'In blobs; `null` before Cancun.' })
      .nullable(),
    chainId: quantity256Result,
    forkId: z
      .string()
      .regex(/^0x[0-9a-f]{8}$/)
      .meta({ title: '4 bytes', description: 'Hash of the fork identifier (EIP-2124, EIP-6122).' }),
    precompiles: z.record(z.string(), addressResult),
    systemContracts: z.record(z.string(), addressResult),
  })
  .meta({ title: 'fork' });

export const ethConfig: Method<MethodContext> = defineMethod({
  name: ETH_CONFIG,
  summary:
    'Returns the rules in force, the rules of the next fork, and the rules of the last scheduled fork (EIP-7910).',
  description:
    'As in geth, the result has only forks that a timestamp activates. `current` is `null` before Shanghai. `next` and `last` are `null` if no further fork is scheduled. On networks served by upstream nodes, the result comes from one of the nodes.',
  params: [],
  result: {
    name: 'config',
    schema: z
      .looseObject({
        current: forkConfig.nullable(),
        next: forkConfig.nullable(),
        last: forkConfig.nullable(),
      })
      .meta({ title: 'fork schedule' }),
  },
  contractScope: scopeOfNothing,
  cost: 80,
  errors: ['methodNotFound', 'serverError'],
  example: { params: [], result: EXAMPLE_CONFIG },
  handle: (_, { network, scope }) => requireAnswer(ETH_CONFIG, network.chain.node.getConfig(scope)),
});
