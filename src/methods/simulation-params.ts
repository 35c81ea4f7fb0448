import * as z from 'zod';
import type { BlockSimulation } from '../chain/chain.ts';
import { address, boolean, hash32, quantity64, quantity256 } from '../rpc/schemas.ts';
import { callObject } from './call-object.ts';
import { objectOf } from './known-members.ts';
import { stateOverrides } from './overrides.ts';

const withdrawal = objectOf(
  {
    index: quantity64.default('0x0'),
    validatorIndex: quantity64.default('0x0'),
    address: address.default(`0x${'00'.repeat(20)}`),
    amount: quantity64.default('0x0'),
  },
  (schema) => schema.meta({ title: 'withdrawal' }),
);

const blockOverrides = objectOf(
  {
    number: quantity256.exactOptional(),
    difficulty: quantity256
      .meta({ description: 'Before the merge; ignored in blocks after it.' })
      .exactOptional(),
    time: quantity64.exactOptional(),
    gasLimit: quantity64.exactOptional(),
    feeRecipient: address.exactOptional(),
    prevRandao: hash32.exactOptional(),
    baseFeePerGas: quantity256.exactOptional(),
    blobBaseFee: quantity256.exactOptional(),
    beaconRoot: hash32.meta({ description: 'Parent beacon block root.' }).exactOptional(),
    withdrawals: z.array(withdrawal).exactOptional(),
  },
  (schema) => schema.meta({ title: 'block overrides' }),
);

const blockStateCalls = objectOf(
  {
    blockOverrides: blockOverrides
      .meta({ description: 'Fields of the block; others follow from its parent.' })
      .exactOptional(),
    stateOverrides: stateOverrides
      .meta({ description: 'Accounts to replace before the calls.' })
      .exactOptional(),
    calls: z.array(callObject).exactOptional(),
  },
  (schema) => schema.meta({ title: 'block of calls' }),
);

/** What to simulate (execution-apis `EthSimulatePayload`); other members are ignored, as in geth. */
export const simulation: z.ZodType<BlockSimulation> = objectOf(
  {
    blockStateCalls: z.array(blockStateCalls).default([]),
    traceTransfers: boolean.meta({ description: 'Whether transfers of value are logs.' }).exactOptional(),
    validation: boolean
      .meta({ description: 'Whether nonces, prices and base fees are checked as in blocks.' })
      .exactOptional(),
    returnFullTransactions: boolean
      .meta({ description: 'Whether transactions come whole instead of as hashes.' })
      .exactOptional(),
  },
  (schema) => schema.meta({ title: 'simulation' }),
) as z.ZodType<BlockSimulation>;
