import type { HeadReads } from '../chain/chain.ts';
import type { BlockReference, BlockSimulation } from '../chain/requests.ts';
import { createBoundError, RpcError } from '../rpc/errors.ts';
import { defineMethod, type Method } from '../rpc/method.ts';
import { limitOf } from '../util/bounds.ts';
import { DEFAULT_BLOCK } from './block-reference.ts';
import { countSimulatedEntries } from './call-entries.ts';
import { CALL_BLOCK_PARAM } from './call-params.ts';
import { scopeOfSimulation } from './contract-scope.ts';
import type { MethodContext } from './method-context.ts';
import { EXAMPLE_SIMULATION } from './result-examples.ts';
import { simulation } from './simulation-params.ts';
import { simulatedBlocks } from './simulation-schemas.ts';
import { workFor } from './work-credits.ts';

/** Maximum numbers of blocks and calls, equal to geth's. */
const MAX_BLOCKS = limitOf('simulation.blocks');
const MAX_CALLS_PER_BLOCK = limitOf('simulation.blockCalls');
const MAX_CALLS = limitOf('simulation.calls');

export const ethSimulateV1: Method<MethodContext> = defineMethod({
  name: 'eth_simulateV1',
  summary:
    'Simulates blocks of calls on top of an existing block. Each simulated block has its own overrides.',
  description:
    'A request may have at most 256 blocks, 5,000 calls in a block and 10,000 calls in all. The maximum of 256 blocks includes empty blocks that fill gaps between block numbers. Without `validation` neither nonces nor prices are checked, and base fees are zero. On an embedded chain all calls share a gas budget of 10 times the gas limit of the latest block.',
  params: [
    {
      name: 'simulation',
      description: 'Blocks, the checks on them, and the form of the result.',
      required: true,
      codec: simulation,
    },
    CALL_BLOCK_PARAM,
  ],
  result: { name: 'blocks', schema: simulatedBlocks },
  contractScope: scopeOfSimulation,
  cost: 300,
  executes: true,
  errors: [
    'serverError',
    'nonceTooLow',
    'nonceTooHigh',
    'feeCapTooLow',
    'intrinsicGas',
    'insufficientFunds',
    'blockGasLimit',
    'blockNumberOrder',
    'blockTimestampOrder',
    'initCodeSize',
    'simulationLimit',
    'callTooLarge',
    'invalidSimulation',
    'executionTimedOut',
    'timedOut',
    'busy',
  ],
  example: {
    params: [
      {
        blockStateCalls: [
          {
            calls: [
              {
                from: '0xb22db1efc84ea674085fe1364910d5e8196cbc81',
                to: '0x00000000000000000000000000000000000000cc',
                value: '0x1',
              },
            ],
          },
        ],
        traceTransfers: true,
      },
      'latest',
    ],
    result: EXAMPLE_SIMULATION,
  },
  handle([provided, block = DEFAULT_BLOCK], { network, scope }) {
    checkSize(provided);
    const furtherEntries = countSimulatedEntries(provided);
    const furtherBlocks = countBlocks(provided, findNumber(block, network.chain.heads)) - 1;
    return workFor(scope, 'eth_simulateV1_furtherBlock', furtherBlocks, () =>
      workFor(scope, 'call_further100Entries', furtherEntries, () =>
        network.chain.execution.simulate({ simulation: provided, block }, scope),
      ),
    );
  },
});

/** Returns the number of the base block, or undefined where only a request can determine the number. */
function findNumber(block: BlockReference, { served }: Pick<HeadReads, 'served'>): bigint | undefined {
  if (block.kind === 'number') return block.number;
  const isServed = block.kind === 'hash' ? block.hash === served?.hash : block.tag === 'latest';
  if (isServed) return served?.number;
  return block.kind === 'tag' && block.tag === 'earliest' ? 0n : undefined;
}

/**
 * Returns the number of simulated blocks, including the blocks that fill number gaps. Returns `MAX_BLOCKS` if the size of the gap before the first numbered
 * block is unknown.
 */
function countBlocks({ blockStateCalls }: BlockSimulation, base: bigint | undefined): number {
  let [number, blocks] = [base, 0];
  for (const { blockOverrides } of blockStateCalls) {
    const next = blockOverrides?.number === undefined ? undefined : BigInt(blockOverrides.number);
    if (next === undefined) blocks++;
    else blocks += number === undefined ? MAX_BLOCKS : Number(next - number);
    number = next ?? (number === undefined ? undefined : number + 1n);
    // A later check rejects a simulation with more than `MAX_BLOCKS` blocks, or with descending numbers.
    if (blocks >= MAX_BLOCKS) return MAX_BLOCKS;
  }
  return blocks;
}

/** @throws RpcError with geth's messages for no blocks, too many blocks or too many calls */
function checkSize({ blockStateCalls }: BlockSimulation): void {
  if (blockStateCalls.length === 0) throw new RpcError('invalidParams', 'empty input');
  if (blockStateCalls.length > MAX_BLOCKS) throw createBoundError('simulationLimit', 'simulation.blocks');
  let total = 0;
  for (const { calls = [] } of blockStateCalls) {
    if (calls.length > MAX_CALLS_PER_BLOCK) {
      const detail = `${calls.length} > ${MAX_CALLS_PER_BLOCK}`;
      throw createBoundError('simulationLimit', 'simulation.blockCalls', detail);
    }
    total += calls.length;
    if (total > MAX_CALLS)
      throw createBoundError('simulationLimit', 'simulation.calls', `${total} > ${MAX_CALLS}`);
  }
}
