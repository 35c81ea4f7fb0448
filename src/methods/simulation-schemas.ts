import * as z from 'zod';
import { addressResult, dataResult, hash32Result, quantity64Result } from '../rpc/result-scalars.ts';
import { block, log } from './result-schemas.ts';

/** Result of `eth_createAccessList`. */
export const accessListResult: z.ZodType = z
  .object({
    accessList: z.array(
      z
        .object({ address: addressResult, storageKeys: z.array(hash32Result) })
        .meta({ title: 'access list entry' }),
    ),
    error: z.string().meta({ description: 'Reason of the failure. Absent if the call succeeds.' }).optional(),
    gasUsed: quantity64Result.meta({
      description: 'Gas that the call uses if its transaction has this access list.',
    }),
  })
  .meta({ title: 'access list' });

const callError = z
  .object({
    code: z.number().meta({ description: '3: the call reverted. -32015: another failure of the call.' }),
    message: z.string(),
    data: dataResult.meta({ description: 'Raw revert data.' }).optional(),
  })
  .meta({ title: 'call error' });

const callResult = z
  .object({
    returnData: dataResult,
    logs: z.array(log),
    gasUsed: quantity64Result,
    maxUsedGas: quantity64Result.meta({ description: 'Gas used before refunds.' }),
    status: quantity64Result,
    error: callError.optional(),
  })
  .meta({ title: 'call result' });

/** Result of `eth_simulateV1`: blocks with the results of their calls. */
export const simulatedBlocks: z.ZodType = z.array(
  (block as z.ZodObject).extend({ calls: z.array(callResult) }).meta({ title: 'simulated block' }),
);
