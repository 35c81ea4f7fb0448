import { bytesToHex } from '../primitives/hex.ts';
import type { JsonText } from '../primitives/json-result.ts';
import { encodeQuantity } from '../primitives/quantity.ts';

export function quantity(value: bigint | number): JsonText {
  return `"${encodeQuantity(value)}"`;
}

export function data(bytes: Uint8Array): JsonText {
  return `"${bytesToHex(bytes)}"`;
}
