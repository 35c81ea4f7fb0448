/**
 * How many places of an index are in use. An index lies where the largest one fits; with few entries only its beginning is in use, so that
 * they share pages and cache lines, wherever their hashes point. A power of two each; an index grows eightfold where an eighth of its
 * places is taken, and then all of its entries have other places.
 */
const GROWTH_BITS: u32 = 3;

/** Places of an index that grows from so many, minus one: what a hash is cut to. */
@inline
export function grownMask(mask: u32, largest: u32): u32 {
  return min(((mask + 1) << GROWTH_BITS), largest) - 1;
}

/** Entries at which it grows; with the largest it never does. */
@inline
export function entriesOf(mask: u32, largest: u32): u32 {
  return mask + 1 == largest ? 0xffffffff : (mask + 1) >> GROWTH_BITS;
}
