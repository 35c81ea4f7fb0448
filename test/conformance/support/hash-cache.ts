import { hexToBytes } from '../../../packages/ethereum/primitives/hex.ts';
import { keccak256 } from '../../../packages/ethereum/primitives/keccak.ts';

/** Maximum number of entries and hex digits, after which the cache starts afresh. */
const MAX_ENTRIES = 50_000;
const MAX_DIGITS = 32_000_000;

const hashes = new Map<string, Uint8Array>();
let digits = 0;

/** Returns Keccak-256 of hex text with `0x`. Hashes are cached, because test files repeat their addresses, slots and codes. */
export function hashHex(hex: string): Uint8Array {
  let hash = hashes.get(hex);
  if (hash !== undefined) return hash;
  hash = keccak256(hexToBytes(hex));
  if (hashes.size >= MAX_ENTRIES || digits + hex.length > MAX_DIGITS) {
    hashes.clear();
    digits = 0;
  }
  hashes.set(hex, hash);
  digits += hex.length;
  return hash;
}
