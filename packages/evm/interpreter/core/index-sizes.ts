/**
 * Sizes of a hash table. An index (hash table) has memory for its maximum size, but uses only the beginning while it has few entries. With few
 * entries, the used beginning of the index fits in few pages and cache lines, however the hashes are distributed. Sizes are powers of two. An index
 * grows eightfold when an eighth of its buckets is used; all its entries are then inserted again.
 */
const GROWTH_BITS: u32 = 3;

/** Returns the number of buckets after growth, minus one: the mask that maps a hash to a bucket. */
@inline
export function grownMask(mask: u32, largest: u32): u32 {
  return min(((mask + 1) << GROWTH_BITS), largest) - 1;
}

/** Returns the number of entries at which an index grows. An index of maximum size never grows. */
@inline
export function entriesOf(mask: u32, largest: u32): u32 {
  return mask + 1 == largest ? 0xffffffff : (mask + 1) >> GROWTH_BITS;
}
