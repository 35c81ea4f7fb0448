/** Decodes RLP fields into JSON members. Bytes become lower-case hex; integers become hex without leading zeros. */
import { bytesToHex } from '../ethereum/primitives/hex.ts';
import { encodeQuantity } from '../ethereum/primitives/quantity.ts';
import { asBytes, asInteger, asList, type RlpItem } from '../ethereum/primitives/rlp.ts';

export const HASH_BYTES = 32;
export const ADDRESS_BYTES = 20;

/**
 * @param length required length in bytes; if absent, any length is accepted
 * @throws RangeError for a list, or for bytes of another length
 */
export function decodeBytes(item: RlpItem | undefined, name: string, length?: number): string {
  return bytesToHex(asBytes(item, name, length));
}

/**
 * Decodes an integer of up to 32 bytes, such as a value or half of a signature.
 * @param maxBytes maximum length of the encoding in bytes
 * @throws RangeError for a list, leading zeros, or a longer encoding
 */
export function decodeInteger(
  item: RlpItem | undefined,
  name: string,
  maxBytes: number = HASH_BYTES,
): string {
  return encodeQuantity(asInteger(item, name, maxBytes));
}

/**
 * Decodes an address; an empty string is null (no recipient).
 * @throws RangeError for a list, or for bytes of another length
 */
export function decodeRecipient(item: RlpItem | undefined, name: string): string | null {
  return asBytes(item, name).length === 0 ? null : decodeBytes(item, name, ADDRESS_BYTES);
}

/** @throws RangeError for anything except 0 and 1 */
export function decodeFlag(item: RlpItem | undefined, name: string): boolean {
  const value = asInteger(item, name, 1);
  if (value > 1n) throw new RangeError(`rlp: ${name} is neither 0 nor 1`);
  return value === 1n;
}

/** @throws RangeError for anything except a list of 32-byte strings */
export function decodeHashes(item: RlpItem | undefined, name: string): readonly string[] {
  return asList(item, name).map((hash) => decodeBytes(hash, name, HASH_BYTES));
}
