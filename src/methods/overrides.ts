import * as z from 'zod';
import type { BlockOverrides, StateOverrides } from '../chain/chain.ts';
import { address, data, hash32, quantity64, quantity256 } from '../rpc/schemas.ts';
import { dropNulls } from './call-object.ts';

const storage = z.record(hash32, hash32).meta({ title: 'storage' });
const unsupported = z.never({ error: 'not supported in a call' });

const accountOverride = z.preprocess(
  dropNulls,
  z
    .object({
      nonce: quantity64.exactOptional(),
      code: data.exactOptional(),
      balance: quantity256.exactOptional(),
      state: storage.meta({ description: 'Replaces the whole storage.' }).exactOptional(),
      stateDiff: storage
        .meta({ description: 'Replaces single slots. Not together with `state`.' })
        .exactOptional(),
      movePrecompileToAddress: address.exactOptional(),
    })
    .meta({ title: 'account override' })
    .check(({ value, issues }) => {
      if (value.state === undefined || value.stateDiff === undefined) return;
      issues.push({ code: 'custom', message: "account has both 'state' and 'stateDiff'", input: value });
    }),
);

/** Accounts to replace for one call, by address. */
export const stateOverrides: z.ZodType<StateOverrides> = z.preprocess(
  dropNulls,
  z.record(address, accountOverride).meta({ title: 'state overrides' }),
);

/** Fields of the block that a call runs in. */
export const blockOverrides: z.ZodType<BlockOverrides> = z.preprocess(
  dropNulls,
  z
    .object({
      number: quantity256.exactOptional(),
      difficulty: quantity256.exactOptional(),
      time: quantity64.exactOptional(),
      gasLimit: quantity64.exactOptional(),
      feeRecipient: address.exactOptional(),
      prevRandao: hash32.exactOptional(),
      baseFeePerGas: quantity256.exactOptional(),
      blobBaseFee: quantity256.exactOptional(),
      beaconRoot: unsupported.exactOptional(),
      withdrawals: unsupported.exactOptional(),
    })
    .meta({ title: 'block overrides' }),
);
