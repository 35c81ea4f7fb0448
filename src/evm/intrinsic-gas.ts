import { countZeros } from '../primitives/byte-loops.ts';
import { isAtLeast, type Revision } from './revision.ts';

/** Bytes of a transaction's data, by what they cost. */
export type DataBytes = { readonly zero: number; readonly nonZero: number };

/** What of a transaction decides its intrinsic gas. */
export type IntrinsicGasInput = {
  readonly data: DataBytes;
  readonly isCreation: boolean;
  readonly accessedAddresses: number;
  readonly accessedStorageKeys: number;
  readonly authorizations: number;
};

const TRANSACTION_GAS = 21_000;
const CREATION_GAS = 32_000;
const ZERO_BYTE_GAS = 4;
const ACCESS_LIST_ADDRESS_GAS = 2_400;
const ACCESS_LIST_KEY_GAS = 1_900;
const INIT_CODE_WORD_GAS = 2;
const FLOOR_TOKEN_GAS = 10;
const TOKENS_PER_NONZERO_BYTE = 4;
/** EIP-7702: charged per authorization before execution... */
const AUTHORIZATION_GAS = 25_000;
/** ...of which this comes back when the authority's account already existed. */
export const EXISTING_AUTHORITY_REFUND: bigint = 12_500n;

export function countDataBytes(data: Uint8Array): DataBytes {
  const zero = countZeros(data);
  return { zero, nonZero: data.length - zero };
}

/** Gas charged before the first instruction (EIP-2, 2028, 2930, 3860, 7702). */
export function computeIntrinsicGas(input: IntrinsicGasInput, revision: Revision): bigint {
  const { zero, nonZero } = input.data;
  let gas = TRANSACTION_GAS + zero * ZERO_BYTE_GAS + nonZero * (isAtLeast(revision, 'istanbul') ? 16 : 68);
  if (input.isCreation && isAtLeast(revision, 'homestead')) gas += CREATION_GAS;
  if (input.isCreation && isAtLeast(revision, 'shanghai')) {
    gas += INIT_CODE_WORD_GAS * Math.ceil((zero + nonZero) / 32);
  }
  gas += input.accessedAddresses * ACCESS_LIST_ADDRESS_GAS;
  gas += input.accessedStorageKeys * ACCESS_LIST_KEY_GAS;
  return BigInt(gas + input.authorizations * AUTHORIZATION_GAS);
}

/** EIP-7623: what a transaction of this calldata costs at least; 0 before Prague. */
export function computeFloorGas({ zero, nonZero }: DataBytes, revision: Revision): bigint {
  if (!isAtLeast(revision, 'prague')) return 0n;
  const tokens = zero + nonZero * TOKENS_PER_NONZERO_BYTE;
  return BigInt(TRANSACTION_GAS + tokens * FLOOR_TOKEN_GAS);
}
