import { bigIntToFixedBytes, concatBytes } from '../../packages/ethereum/primitives/bytes.ts';
import { bytesToHex } from '../../packages/ethereum/primitives/hex.ts';
import { keccak256 } from '../../packages/ethereum/primitives/keccak.ts';

/** Returns the Keccak-256 of a signature such as `Transfer(address,address,uint256)`, as a number to assemble. */
export function eventTopic(signature: string): string {
  return bytesToHex(keccak256(new TextEncoder().encode(signature)));
}

/** Returns the four-byte selector of the function with this signature, hex with prefix. */
export function selectorOf(signature: string): string {
  return eventTopic(signature).slice(0, 10);
}

/** Encodes a selector followed by whole words: calldata of static arguments, or a custom error. */
export function encodeWords(signature: string, ...words: readonly bigint[]): Uint8Array {
  const selector = bigIntToFixedBytes(BigInt(selectorOf(signature)), 4);
  return concatBytes(selector, ...words.map((word) => bigIntToFixedBytes(word, 32)));
}

/** Encodes the revert data of Solidity's `require(false, message)`. */
export function encodeErrorString(message: string): Uint8Array {
  const text = new TextEncoder().encode(message);
  const padding = new Uint8Array(-text.length & 31);
  return concatBytes(encodeWords('Error(string)', 32n, BigInt(text.length)), text, padding);
}

/** Encodes the revert data of Solidity's own checks. */
export function encodePanic(code: bigint): Uint8Array {
  return encodeWords('Panic(uint256)', code);
}

/**
 * Encodes text of up to 31 bytes as Solidity stores it in one slot: left-aligned, twice its length in the last byte.
 * @throws RangeError for a longer text
 */
export function encodeShortString(text: string): string {
  const bytes = new TextEncoder().encode(text);
  if (bytes.length > 31) throw new RangeError('longer than 31 bytes');
  const word = new Uint8Array(32);
  word.set(bytes);
  word[31] = 2 * bytes.length;
  return bytesToHex(word);
}
