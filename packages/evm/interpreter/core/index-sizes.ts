/**
 * Number of places in use of an index. An index is laid out for its maximum size; with few entries only its beginning is used, so that they
 * share pages and cache lines, wherever their hashes point. Sizes are powers of two; an index grows eightfold when an eighth of its places
 * is used, and then all its entries move.
 */
const GROWTH_BITS: u32 = 3;

/** Returns the place count after growth minus one: the mask of hashes. */
@inline
export function grownMask(mask: u32, largest: u32): u32 {
  return min(((mask + 1) << GROWTH_BITS), largest) - 1;
}

/** Returns the number of entries at which an index grows; at its maximum size it never does. */
@inline
export function entriesOf(mask: u32, largest: u32): u32 {
  return mask + 1 == largest ? 0xffffffff : (mask + 1) >> GROWTH_BITS;
}
