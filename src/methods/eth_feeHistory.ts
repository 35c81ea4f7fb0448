import * as z from 'zod';
import { defineMethod, type Method } from '../rpc/method.ts';
import { quantity64Result, quantity256Result } from '../rpc/result-scalars.ts';
import { anyBlockNumberOrTag } from './block-reference.ts';
import { scopeOfNothing } from './contract-scope.ts';
import { blockCount, checkPercentiles, MAX_HISTORY_BLOCKS, percentileList } from './fee-history-params.ts';
import type { MethodContext } from './method-context.ts';
import { requireAnswer } from './require-answer.ts';

const ETH_FEE_HISTORY = 'eth_feeHistory';
/** Answer to a request for zero blocks, as geth sends it. */
const NO_BLOCKS = '{"oldestBlock":"0x0","gasUsedRatio":null}';

const ratio: z.ZodType = z.number().min(0);

const feeHistory: z.ZodType = z
  .looseObject({
    oldestBlock: quantity64Result,
    reward: z
      .array(z.array(quantity256Result))
      .meta({
        description: 'Priority fees of each block at the percentiles of its gas. Absent without percentiles.',
      })
      .optional(),
    baseFeePerGas: z
      .array(quantity256Result)
      .meta({ description: 'Base fee by block, with the block after the newest. 0 before London.' })
      .optional(),
    gasUsedRatio: z.array(ratio).nullable(),
    baseFeePerBlobGas: z
      .array(quantity256Result)
      .meta({ description: 'Blob base fee by block, with the block after the newest. 0 before Cancun.' })
      .optional(),
    blobGasUsedRatio: z.array(ratio).optional(),
  })
  .meta({ title: 'fee history' });

export const ethFeeHistory: Method<MethodContext> = defineMethod({
  name: ETH_FEE_HISTORY,
  summary:
    'Returns base fees, gas usage and priority fees of a range of blocks, and the base fee of the next block.',
  description: `The result has at most the newest ${MAX_HISTORY_BLOCKS} blocks of the range. A request may have at most 100 percentiles. On an embedded chain \`pending\` is an empty block after the head.`,
  params: [
    { name: 'blockCount', description: 'Number of blocks.', required: true, codec: blockCount },
    {
      name: 'newestBlock',
      description: 'Newest block of the range.',
      required: true,
      codec: anyBlockNumberOrTag,
    },
    {
      name: 'rewardPercentiles',
      description:
        'Percentiles of a block’s gas, ascending from 0 to 100, for which priority fees are returned.',
      required: true,
      codec: percentileList,
    },
  ],
  result: { name: 'feeHistory', schema: feeHistory },
  contractScope: scopeOfNothing,
  cost: 80,
  errors: ['methodNotFound', 'serverError'],
  example: {
    params: ['0x2', '0x21', [50]],
    result: {
      oldestBlock: '0x20',
      reward: [['0x5f5e100'], ['0x5f5e100']],
      baseFeePerGas: ['0x2dc0ff7e', '0x280d6490', '0x230ed97f'],
      gasUsedRatio: [0.0015434333333333332, 0.0012214],
      baseFeePerBlobGas: ['0x0', '0x0', '0x0'],
      blobGasUsedRatio: [0, 0],
    },
  },
  handle([count, newest, list], { network, scope }) {
    if (count === 0n) return NO_BLOCKS;
    const percentiles = checkPercentiles(list);
    const blockCount = count > MAX_HISTORY_BLOCKS ? MAX_HISTORY_BLOCKS : Number(count);
    const request = { blockCount, newest, percentiles };
    return requireAnswer(ETH_FEE_HISTORY, network.chain.fees.getFeeHistory(request, scope));
  },
});
