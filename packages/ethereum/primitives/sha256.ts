import { sha256 as nobleSha256 } from '@noble/hashes/sha2.js';

/** SHA-256: 32 bytes. */
export function sha256(data: Uint8Array): Uint8Array {
  return nobleSha256(data);
}
