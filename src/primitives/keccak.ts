import { keccak_256 } from '@noble/hashes/sha3.js';
import { EMPTY_BYTES } from './bytes.ts';

/** Keccak-256 (the original padding, not SHA-3's): 32 bytes. */
export function keccak256(data: Uint8Array): Uint8Array {
  return keccak_256(data);
}

/** Hash of the empty byte string: the code hash of an account without code. */
export const EMPTY_CODE_HASH: Uint8Array = keccak256(EMPTY_BYTES);
/** Hash of RLP `0x80`: the root of an empty trie. */
export const EMPTY_TRIE_ROOT: Uint8Array = keccak256(Uint8Array.of(0x80));
/** Hash of RLP `0xc0`: `sha3Uncles` of a block without uncles. */
export const EMPTY_LIST_HASH: Uint8Array = keccak256(Uint8Array.of(0xc0));
