import * as z from 'zod';
import type { BlockOverrides, StateOverrides } from '../chain/chain.ts';
import { addAcceptor } from '../rpc/acceptors.ts';
import { address, data, hash32, quantity64, quantity256 } from '../rpc/schemas.ts';
import { acceptStateOverrides } from './accept-overrides.ts';
import { objectOf } from './known-members.ts';

const storage = z.record(hash32, hash32).meta({ title: 'storage' });

const accountOverride = objectOf(
  {
    nonce: quantity64.exactOptional(),
    code: data.exactOptional(),
    balance: quantity256.exactOptional(),
    state: storage.meta({ description: 'Replaces the whole storage.' }).exactOptional(),
    stateDiff: storage
      .meta({ description: 'Replaces single slots. Not together with `state`.' })
      .exactOptional(),
    movePrecompileToAddress: address.exactOptional(),
  },
  (schema) => schema.meta({ title: 'account override' }),
);

const stateOverridesSchema = z.preprocess(
  dropNulls,
  z.record(address, accountOverride).meta({ title: 'state overrides' }),
) as z.ZodType<StateOverrides>;

/** Accounts to replace for one call, by address. */
export const stateOverrides: z.ZodType<StateOverrides> = addAcceptor(
  stateOverridesSchema,
  acceptStateOverrides,
);

/** Fields of the block that a call runs in. */
export const blockOverrides: z.ZodType<BlockOverrides> = objectOf(
  {
    number: quantity256.exactOptional(),
    difficulty: quantity256.exactOptional(),
    time: quantity64.exactOptional(),
    gasLimit: quantity64.exactOptional(),
    feeRecipient: address.exactOptional(),
    prevRandao: hash32.exactOptional(),
    baseFeePerGas: quantity256.exactOptional(),
    blobBaseFee: quantity256.exactOptional(),
    beaconRoot: hash32.meta({ description: 'Not supported in a call.' }).exactOptional(),
    withdrawals: z.array(z.unknown()).meta({ description: 'Not supported in a call.' }).exactOptional(),
  },
  (schema) => schema.meta({ title: 'block overrides' }),
) as z.ZodType<BlockOverrides>;

/** Account overrides; an entry with the value `null` is ignored. */
function dropNulls(value: unknown): unknown {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return value;
  const entries = Object.entries(value);
  if (entries.every(([, member]) => member !== null)) return value;
  return Object.fromEntries(entries.filter(([, member]) => member !== null));
}
