import { bytesToHex } from '../../packages/ethereum/primitives/hex.ts';
import type { JsonText } from '../../packages/ethereum/primitives/json-result.ts';
import { encodeQuantity } from '../../packages/ethereum/primitives/quantity.ts';

/** Encodes an unsigned integer as a JSON string that contains a quantity. */
export function quantity(value: bigint | number): JsonText {
  return `"${encodeQuantity(value)}"`;
}

/** Encodes bytes as a JSON string that contains hex data. */
export function encodeDataString(bytes: Uint8Array): JsonText {
  return `"${bytesToHex(bytes)}"`;
}
