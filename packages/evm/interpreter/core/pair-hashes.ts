/**
 * Cache of hashes of 64-byte inputs. Solidity stores a mapping's entry at the hash of key and slot, and contracts access the same entries repeatedly.
 * The cache is direct-mapped: a pair replaces the previous pair of its cache entry.
 */
import { copyBytes } from './bytes.ts';
import { keccak256 } from './keccak.ts';
import { PAIR_HASHES, PAIR_HASHES_BITS } from './generated/layout.ts';
import { loadBigEndian } from './words/word.ts';

export const PAIR_SIZE: u32 = 64;
/** Entry: the pair as in memory, then its hash as a word. */
const ENTRY_SIZE: usize = 96;
const HASH: usize = 64;
/** Multipliers for mixing: 2^64 divided by the golden ratio, and a prime of xxHash. */
const KEY_FACTOR: u64 = 0x9e3779b97f4a7c15;
const SLOT_FACTOR: u64 = 0xc2b2ae3d27d4eb4f;

const digest: usize = memory.data(32, 16);

/** Returns the cache entry of a pair. Both words of the pair are big-endian, and pairs differ mostly in the last bytes of their words. */
@inline
function entryOf(pair: usize): usize {
  const mixed = (load<u64>(pair, 24) * KEY_FACTOR) ^ (load<u64>(pair, 56) * SLOT_FACTOR);
  return PAIR_HASHES + <usize>(mixed >> (64 - PAIR_HASHES_BITS)) * ENTRY_SIZE;
}

@inline
function difference(entry: usize, pair: usize, offset: usize): v128 {
  return v128.xor(v128.load(entry + offset), v128.load(pair + offset));
}

@inline
function isSamePair(entry: usize, pair: usize): bool {
  const first = v128.or(difference(entry, pair, 0), difference(entry, pair, 16));
  const second = v128.or(difference(entry, pair, 32), difference(entry, pair, 48));
  return !v128.any_true(v128.or(first, second));
}

/** Hashes the 64 bytes at `pair` with Keccak-256, and writes the hash as a word to `to`. The two ranges must not overlap. */
export function hashPair(pair: usize, to: usize): void {
  const entry = entryOf(pair);
  // An empty cache entry looks like a pair of zeros whose hash has a lowest limb of 0. No real hash is expected to end in 64 zero bits.
  if (!isSamePair(entry, pair) || load<u64>(entry, HASH) == 0) {
    keccak256(pair, PAIR_SIZE, digest);
    copyBytes(entry, pair, PAIR_SIZE);
    loadBigEndian(entry + HASH, digest);
  }
  v128.store(to, v128.load(entry, HASH));
  v128.store(to, v128.load(entry, HASH + 16), 16);
}
