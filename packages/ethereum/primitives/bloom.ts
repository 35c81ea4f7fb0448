import { keccak256 } from './keccak.ts';

export const BLOOM_LENGTH = 256;

/** Sets the three bits of `value` (an address or a topic) in a 2048-bit log bloom; yellow paper 4.3.1. */
export function addToBloom(bloom: Uint8Array, value: Uint8Array): void {
  const hash = keccak256(value);
  for (let i = 0; i < 6; i += 2) {
    const bit = bitAt(hash, i);
    const index = BLOOM_LENGTH - 1 - (bit >> 3);
    bloom[index] = (bloom[index] as number) | (1 << (bit & 7));
  }
}

/** Returns the numbers of the bits that `addToBloom` sets; bit 0 is the last bit of the bloom. */
export function listBloomBits(value: Uint8Array): readonly number[] {
  const hash = keccak256(value);
  return [bitAt(hash, 0), bitAt(hash, 2), bitAt(hash, 4)];
}

function bitAt(hash: Uint8Array, at: number): number {
  return (((hash[at] as number) << 8) | (hash[at + 1] as number)) & 2047;
}

/** Sets every bit of `other` in `bloom`. */
export function mergeBloom(bloom: Uint8Array, other: Uint8Array): void {
  for (let i = 0; i < BLOOM_LENGTH; i++) bloom[i] = (bloom[i] as number) | (other[i] as number);
}
