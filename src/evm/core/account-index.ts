/** Which places of the index of accounts are in use, and where an account's are. See index-sizes for how it grows. */
import { ACCOUNT_INDEX, ACCOUNT_INDEX_SIZE } from './generated/layout.ts';
import { hashAddress, NEAR, strideOf } from './hashing.ts';
import { entriesOf, grownMask } from './index-sizes.ts';

/** Places in use with few accounts, minus one: 16 KiB. */
const LEAST_MASK: u32 = (1 << 12) - 1;

/** Places in use, minus one: what a hash is cut to. */
export let accountMask: u32 = LEAST_MASK;
/** Accounts until the index has to grow. */
let roomLeft: u32 = entriesOf(LEAST_MASK, ACCOUNT_INDEX_SIZE);

@inline
export function firstAccountPlace(low: u64, middle: u64, high: u32): u32 {
  return <u32>(((low ^ rotl<u64>(middle, 23) ^ (<u64>high << 40)) * 0x9e3779b97f4a7c15) >> 46) & accountMask;
}

/** The first free place of an account that is not in the index. */
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

/** @returns false where the index has to grow first */
export function takeAccountPlace(): bool {
  if (roomLeft == 0) return false;
  roomLeft--;
  return true;
}

/** All of its places have to be free, and `entries` accounts are put back. */
export function growAccountIndex(entries: u32): void {
  accountMask = grownMask(accountMask, ACCOUNT_INDEX_SIZE);
  roomLeft = entriesOf(accountMask, ACCOUNT_INDEX_SIZE) - entries;
}

/** Back to its beginning; all places have to be free. */
export function shrinkAccountIndex(): void {
  accountMask = LEAST_MASK;
  roomLeft = entriesOf(LEAST_MASK, ACCOUNT_INDEX_SIZE);
}
