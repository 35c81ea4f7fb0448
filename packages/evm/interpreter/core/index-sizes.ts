/**
 * Sizes of an index. An index is laid out for its maximum size, but uses only its beginning while it has few entries. The entries then share pages
 * and cache lines, whatever their hashes are. Sizes are powers of two. An index grows eightfold when an eighth of its places is used, and all its
 * entries then move.
 */
const GROWTH_BITS: u32 = 3;

/** Returns the number of places after growth, minus one, which is the mask of hashes. */
@inline
export function grownMask(mask: u32, largest: u32): u32 {
  return min(((mask + 1) << GROWTH_BITS), largest) - 1;
}

/** Returns the number of entries at which an index grows. An index of maximum size never grows. */
@inline
export function entriesOf(mask: u32, largest: u32): u32 {
  return mask + 1 == largest ? 0xffffffff : (mask + 1) >> GROWTH_BITS;
}
