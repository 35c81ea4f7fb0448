import { countZeros } from '../primitives/byte-loops.ts';
import type { RevisionRules } from './revisions/revision-rules.ts';

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

export function countDataBytes(data: Uint8Array): DataBytes {
  const zero = countZeros(data);
  return { zero, nonZero: data.length - zero };
}

/** Gas charged before the first instruction. */
export function computeIntrinsicGas(input: IntrinsicGasInput, { intrinsic }: RevisionRules): bigint {
  const { zero, nonZero } = input.data;
  let gas = intrinsic.transaction + zero * intrinsic.zeroByte + nonZero * intrinsic.nonZeroByte;
  if (input.isCreation) gas += intrinsic.creation + intrinsic.initCodeWord * Math.ceil((zero + nonZero) / 32);
  gas += input.accessedAddresses * intrinsic.accessListAddress;
  gas += input.accessedStorageKeys * intrinsic.accessListKey;
  return BigInt(gas + input.authorizations * intrinsic.authorization);
}

/** EIP-7623: what a transaction of this calldata costs at least; 0 in revisions without. */
export function computeFloorGas({ zero, nonZero }: DataBytes, { intrinsic }: RevisionRules): bigint {
  if (intrinsic.floorToken === 0) return 0n;
  const tokens = zero + nonZero * intrinsic.tokensPerNonZeroByte;
  return BigInt(intrinsic.transaction + tokens * intrinsic.floorToken);
}
