import { isAtLeast, type Revision } from './revision.ts';

/** What of a transaction decides its intrinsic gas. */
export type IntrinsicGasInput = {
  readonly data: Uint8Array;
  readonly isCreation: boolean;
  readonly accessedAddresses: number;
  readonly accessedStorageKeys: number;
  readonly authorizations: number;
};

const TRANSACTION_GAS = 21_000n;
const CREATION_GAS = 32_000n;
const ZERO_BYTE_GAS = 4n;
const ACCESS_LIST_ADDRESS_GAS = 2_400n;
const ACCESS_LIST_KEY_GAS = 1_900n;
const INIT_CODE_WORD_GAS = 2n;
const FLOOR_TOKEN_GAS = 10n;
const TOKENS_PER_NONZERO_BYTE = 4n;
/** EIP-7702: charged per authorization before execution... */
const AUTHORIZATION_GAS = 25_000n;
/** ...of which this comes back when the authority's account already existed. */
export const EXISTING_AUTHORITY_REFUND: bigint = 12_500n;

function countNonZero(data: Uint8Array): bigint {
  let count = 0;
  for (const byte of data) if (byte !== 0) count++;
  return BigInt(count);
}

/** Gas charged before the first instruction (EIP-2, 2028, 2930, 3860, 7702). */
export function computeIntrinsicGas(input: IntrinsicGasInput, revision: Revision): bigint {
  const nonZero = countNonZero(input.data);
  const zero = BigInt(input.data.length) - nonZero;
  let gas = TRANSACTION_GAS + zero * ZERO_BYTE_GAS + nonZero * (isAtLeast(revision, 'istanbul') ? 16n : 68n);
  if (input.isCreation && isAtLeast(revision, 'homestead')) gas += CREATION_GAS;
  if (input.isCreation && isAtLeast(revision, 'shanghai')) {
    gas += INIT_CODE_WORD_GAS * ((BigInt(input.data.length) + 31n) / 32n);
  }
  gas += BigInt(input.accessedAddresses) * ACCESS_LIST_ADDRESS_GAS;
  gas += BigInt(input.accessedStorageKeys) * ACCESS_LIST_KEY_GAS;
  return gas + BigInt(input.authorizations) * AUTHORIZATION_GAS;
}

/** EIP-7623: what a transaction of this calldata costs at least; 0 before Prague. */
export function computeFloorGas(data: Uint8Array, revision: Revision): bigint {
  if (!isAtLeast(revision, 'prague')) return 0n;
  const nonZero = countNonZero(data);
  const tokens = BigInt(data.length) - nonZero + nonZero * TOKENS_PER_NONZERO_BYTE;
  return TRANSACTION_GAS + tokens * FLOOR_TOKEN_GAS;
}
