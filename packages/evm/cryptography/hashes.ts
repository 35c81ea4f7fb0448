import { ripemd160 } from '@noble/hashes/legacy.js';
import { sha256 } from '@noble/hashes/sha2.js';
import type { Cryptography } from '../interpreter/precompiles/cryptography.ts';
import type { Steps } from '../interpreter/precompiles/steps.ts';

/** Hash functions of precompiles. A host may have faster functions than `PORTABLE_HASHES`. */
export type HashFunctions = Pick<Cryptography, 'sha256' | 'ripemd160' | 'sha256Steps' | 'ripemd160Steps'>;

/** Bytes hashed per step; a step takes 0.1 to 0.7 ms. */
const PIECE_BYTES: number = 128 << 10;

/** Hashes data in steps. @param digest an incremental hash, of node or of noble */
export function* hashSteps(
  data: Uint8Array,
  digest: { update(data: Uint8Array): unknown; digest(): Uint8Array },
): Steps<Uint8Array> {
  for (let at = 0; at < data.length; at += PIECE_BYTES) {
    digest.update(data.subarray(at, at + PIECE_BYTES));
    yield;
  }
  return new Uint8Array(digest.digest());
}

/** Hash functions in JavaScript, which run on every host. */
export const PORTABLE_HASHES: HashFunctions = {
  sha256: (data) => sha256(data),
  ripemd160: (data) => ripemd160(data),
  sha256Steps: (data) => hashSteps(data, sha256.create()),
  ripemd160Steps: (data) => hashSteps(data, ripemd160.create()),
};
