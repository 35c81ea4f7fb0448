/** Hash table of accounts (index): the number of buckets in use, and the probe sequence of an account. index-sizes describes the growth. */
import { ACCOUNT_INDEX, ACCOUNT_INDEX_SIZE } from './generated/layout.ts';
import { hashAddress, NEAR, strideOf } from './hashing.ts';
import { entriesOf, grownMask } from './index-sizes.ts';

/** Initial number of buckets minus one. The initial buckets take 16 KiB. */
const LEAST_MASK: u32 = (1 << 12) - 1;

/** Number of buckets in use minus one: the mask that maps a hash to a bucket. */
export let accountMask: u32 = LEAST_MASK;
/** Number of accounts that fit before the index must grow. */
let roomLeft: u32 = entriesOf(LEAST_MASK, ACCOUNT_INDEX_SIZE);

@inline
export function firstAccountPlace(low: u64, middle: u64, high: u32): u32 {
  return <u32>(((low ^ rotl<u64>(middle, 23) ^ (<u64>high << 40)) * 0x9e3779b97f4a7c15) >> 46) & accountMask;
}

/** Returns the first free bucket in the probe sequence of an account that is not in the index. */
export function freePlaceOf(low: u64, middle: u64, high: u32): usize {
  let place = firstAccountPlace(low, middle, high);
  let stride: u32 = 1;
  let tried: u32 = 0;
  while (load<u32>(ACCOUNT_INDEX + (<usize>place << 2)) != 0) {
    if (++tried == NEAR) {
      const hash = hashAddress(low, middle, high);
      place = <u32>(hash >> 46);
      stride = strideOf(hash);
    } else place += stride;
    place &= accountMask;
  }
  return ACCOUNT_INDEX + (<usize>place << 2);
}

/** Counts a new entry. @returns false when the index must grow first */
export function takeAccountPlace(): bool {
  if (roomLeft == 0) return false;
  roomLeft--;
  return true;
}

/** Enlarges the index, whose buckets must all be free. The caller then inserts its `entries` accounts again. */
export function growAccountIndex(entries: u32): void {
  accountMask = grownMask(accountMask, ACCOUNT_INDEX_SIZE);
  roomLeft = entriesOf(accountMask, ACCOUNT_INDEX_SIZE) - entries;
}

/** Resets the index to its initial size; all buckets must be free. */
export function shrinkAccountIndex(): void {
  accountMask = LEAST_MASK;
  roomLeft = entriesOf(LEAST_MASK, ACCOUNT_INDEX_SIZE);
}
