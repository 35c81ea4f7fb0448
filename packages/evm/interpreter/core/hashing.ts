/**
 * Hash functions of the tables of accounts, slots and codes. Callers choose the keys; with a predictable hash they could make all keys collide. The
 * seeded hash is strongly universal over secret seeds (multilinear hashing, Lemire and Kaser 2014).
 *
 * Accounts and slots are looked up constantly. Their probe sequence begins with `NEAR` consecutive buckets chosen by a cheap hash without seeds.
 * After these buckets, the sequence continues in strides whose start and length come from the seeded hash. If an attacker fills these buckets with
 * colliding keys, a lookup makes `NEAR` more comparisons, and its first stride then leaves the filled buckets. Entries are never removed
 * individually, so a lookup finds every key on its sequence.
 */

/** Number of buckets tried before the seeded hash is computed. */
export const NEAR: u32 = 8;

/** Ten seeds of 64 bits. Before the first use, the host overwrites these values with random seeds. */
const SEEDS: usize = memory.data<u64>([
  0x9e3779b97f4a7c15, 0xbf58476d1ce4e5b9, 0x94d049bb133111eb, 0xd6e8feb86659fd93, 0xa0761d6478bd642f,
  0xe7037ed1a0b428db, 0x8ebc6af09c88c6e3, 0x589965cc75374cc3, 0x1d8e4e27c47d124f, 0xeb44accab455d165,
]);

export function hashSeeds(): usize { return SEEDS; }

/** Distance between the buckets of a probe sequence. The distance is odd, so the sequence visits every bucket of a table. */
@inline
export function strideOf(hash: u64): u32 {
  return <u32>(hash >> 16) | 1;
}

@inline
function mix(value: u64, pair: usize): u64 {
  return (load<u64>(SEEDS + (pair << 4)) + (value & 0xffffffff)) * (load<u64>(SEEDS + (pair << 4), 8) + (value >> 32));
}

/** Hashes an address; the upper 32 bits are the hash. */
@inline
export function hashAddress(low: u64, middle: u64, high: u32): u64 {
  return mix(low, 0) + mix(middle, 1) + mix(high, 2);
}

/** Hashes a slot's key with the account and generation of its storage; the upper 32 bits are the hash. */
@inline
export function hashSlot(k0: u64, k1: u64, k2: u64, k3: u64, account: u32, generation: u32): u64 {
  return mix(k0, 0) + mix(k1, 1) + mix(k2, 2) + mix(k3, 3) + mix(<u64>account | (<u64>generation << 32), 4);
}

/** Hashes 64 bits of a code hash with the code's revision; the upper 32 bits are the hash. */
@inline
export function hashCode(h0: u64, revision: u32): u64 {
  return mix(h0, 0) + mix(revision, 1);
}
