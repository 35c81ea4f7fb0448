import type { AccountOverride, BlockOverrides, StateOverrides } from '../chain/requests.ts';
import type { Codec } from '../rpc/codec/codec.ts';
import { listOf } from '../rpc/codec/list-codec.ts';
import { objectOf, optional } from '../rpc/codec/object-codec.ts';
import { recordOf } from '../rpc/codec/record-codec.ts';
import { address, anything, data, hash32, quantity64, quantity256 } from '../rpc/schemas.ts';

const storage = recordOf(hash32, hash32, { title: 'storage', bound: 'call.entries' });

const accountOverride: Codec<AccountOverride> = objectOf('account override', {
  nonce: optional(quantity64),
  code: optional(data),
  balance: optional(quantity256),
  state: optional(storage, 'Replaces the whole storage.'),
  stateDiff: optional(storage, 'Replaces single slots. Cannot be combined with `state`.'),
  movePrecompileToAddress: optional(address),
});

/** Account overrides of a call, by address. */
export const stateOverrides: Codec<StateOverrides> = recordOf(address, accountOverride, {
  title: 'state overrides',
  skipsNull: true,
  bound: 'call.entries',
});

/** Block overrides of a call. */
export const blockOverrides: Codec<BlockOverrides> = objectOf('block overrides', {
  number: optional(quantity256),
  difficulty: optional(quantity256),
  time: optional(quantity64),
  gasLimit: optional(quantity64),
  feeRecipient: optional(address),
  prevRandao: optional(hash32),
  baseFeePerGas: optional(quantity256),
  blobBaseFee: optional(quantity256),
  beaconRoot: optional(hash32, 'Not supported in a call.'),
  withdrawals: optional(listOf(anything, 'call.entries'), 'Not supported in a call.'),
});
