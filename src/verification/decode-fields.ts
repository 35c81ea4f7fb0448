/** Fields of an encoding as the members that answers have: lower-case hex text, integers without leading zeros. */
import { bytesToHex } from '../primitives/hex.ts';
import { encodeQuantity } from '../primitives/quantity.ts';
import { asBytes, asInteger, asList, type RlpItem } from '../primitives/rlp.ts';

export const HASH_BYTES = 32;
export const ADDRESS_BYTES = 20;

/** @throws RangeError for a list, and for another length than is given */
export function decodeBytes(item: RlpItem | undefined, name: string, length?: number): string {
  return bytesToHex(asBytes(item, name, length));
}

/** An integer of any kind, up to a word, such as a value or a half of a signature. @throws RangeError for one with leading zeros, or with more bytes */
export function decodeInteger(
  item: RlpItem | undefined,
  name: string,
  maxBytes: number = HASH_BYTES,
): string {
  return encodeQuantity(asInteger(item, name, maxBytes));
}

/** Null: no recipient. @throws RangeError */
export function decodeRecipient(item: RlpItem | undefined, name: string): string | null {
  return asBytes(item, name).length === 0 ? null : decodeBytes(item, name, ADDRESS_BYTES);
}

/** @throws RangeError for anything but 0 and 1 */
export function decodeFlag(item: RlpItem | undefined, name: string): boolean {
  const value = asInteger(item, name, 1);
  if (value > 1n) throw new RangeError(`rlp: ${name} is neither 0 nor 1`);
  return value === 1n;
}

/** @throws RangeError */
export function decodeHashes(item: RlpItem | undefined, name: string): readonly string[] {
  return asList(item, name).map((hash) => decodeBytes(hash, name, HASH_BYTES));
}
