import { countZeros } from '../../ethereum/primitives/byte-loops.ts';
import type { RevisionRules } from './revisions/revision-rules.ts';

/** Number of zero and nonzero bytes in a transaction's data, which differ in cost. */
export type DataBytes = { readonly zero: number; readonly nonZero: number };

/** Properties of a transaction that determine its intrinsic gas. */
export type IntrinsicGasInput = {
  readonly data: DataBytes;
  readonly isCreation: boolean;
  /** Whether the recipient is the sender. */
  readonly isToSender: boolean;
  readonly hasValue: boolean;
  readonly accessedAddresses: number;
  readonly accessedStorageKeys: number;
  readonly authorizations: number;
};

const ADDRESS_BYTES = 20;
const KEY_BYTES = 32;

export function countDataBytes(data: Uint8Array): DataBytes {
  const zero = countZeros(data);
  return { zero, nonZero: data.length - zero };
}

/** EIP-2780: gas that depends on the recipient. */
function recipientGas(
  { isCreation, isToSender, hasValue }: IntrinsicGasInput,
  { intrinsic }: RevisionRules,
): number {
  if (isCreation || isToSender) return 0;
  return intrinsic.recipient + (hasValue ? intrinsic.value : 0);
}

/** EIP-7981: gas for the size of the access list. */
function accessListDataGas(input: IntrinsicGasInput, { intrinsic }: RevisionRules): number {
  const bytes = input.accessedAddresses * ADDRESS_BYTES + input.accessedStorageKeys * KEY_BYTES;
  return bytes * intrinsic.accessListByte;
}

/** Computes the intrinsic gas, which is charged before the first instruction. */
export function computeIntrinsicGas(input: IntrinsicGasInput, rules: RevisionRules): bigint {
  const { intrinsic } = rules;
  const { zero, nonZero } = input.data;
  let gas = intrinsic.transaction + recipientGas(input, rules);
  gas += zero * intrinsic.zeroByte + nonZero * intrinsic.nonZeroByte;
  if (input.isCreation) gas += intrinsic.creation + intrinsic.initCodeWord * Math.ceil((zero + nonZero) / 32);
  gas += input.accessedAddresses * intrinsic.accessListAddress;
  gas += input.accessedStorageKeys * intrinsic.accessListKey;
  gas += accessListDataGas(input, rules);
  return BigInt(gas + input.authorizations * intrinsic.authorization);
}

/** Computes the minimum gas of a transaction with this calldata (EIP-7623); 0 in revisions without a floor. */
export function computeFloorGas(input: IntrinsicGasInput, rules: RevisionRules): bigint {
  const { intrinsic } = rules;
  if (intrinsic.floorToken === 0) return 0n;
  const { zero, nonZero } = input.data;
  const tokens = zero * intrinsic.tokensPerZeroByte + nonZero * intrinsic.tokensPerNonZeroByte;
  const creation = input.isCreation ? intrinsic.creationFloor : 0;
  const base = intrinsic.transaction + creation + recipientGas(input, rules);
  return BigInt(base + tokens * intrinsic.floorToken + accessListDataGas(input, rules));
}
