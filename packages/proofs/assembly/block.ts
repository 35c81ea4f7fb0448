/** The block that contains the items of a list, and the memory layout of an item's row. */
import { isNothing, isSame, kindOf, lengthOf, Member, NO_NUMBER, numberOf, STRING, startOf } from './text';

/** Size of an item's row, and byte offsets in the row. `known-transactions.ts` uses the same layout. */
export const ROW_SIZE: usize = 128;
export const ROW_START: usize = 0;
export const ROW_END: usize = 4;
export const ENCODED: usize = 8;
export const ENCODED_SIZE: usize = 12;
export const IS_PLAIN: usize = 16;
export const TYPE: usize = 20;
export const GAS_PRICE: usize = 24;
export const NONCE: usize = 32;
export const HASH: usize = 40;
export const FROM: usize = 72;
export const TO: usize = 92;
export const HAS_TO: usize = 112;
export const BLOBS: usize = 116;

/** Block hash as lower-case hex text, written by the caller. */
export const BLOCK_HASH: usize = memory.data(66);
export const HASH_TEXT: usize = 66;
export const SCRATCH: usize = memory.data(64);

export let number: u64 = 0;
export let timestamp: u64 = 0;
/** Base fee of the block in wei; `NO_NUMBER` if the block has none. */
export let baseFee: u64 = NO_NUMBER;

export function setBlock(blockNumber: u64, time: u64, fee: u64): void {
  number = blockNumber;
  timestamp = time;
  baseFee = fee;
}

/** Whether the members of the object name this block and this index. */
export function isPlaced(slots: usize, index: u32): bool {
  if (kindOf(slots, Member.blockHash) != STRING || lengthOf(slots, Member.blockHash) != HASH_TEXT) return false;
  if (!isSame(startOf(slots, Member.blockHash), BLOCK_HASH, HASH_TEXT)) return false;
  if (numberOf(slots, Member.blockNumber) != number || numberOf(slots, Member.transactionIndex) != index) return false;
  return isNothing(kindOf(slots, Member.blockTimestamp)) || numberOf(slots, Member.blockTimestamp) == timestamp;
}

/** Returns the transaction type of an item: 0 if it is absent, above 15 if it is not a single hex digit. */
export function typeOf(slots: usize): u32 {
  if (isNothing(kindOf(slots, Member.type))) return 0;
  return lengthOf(slots, Member.type) == 3 ? <u32>numberOf(slots, Member.type) : 16;
}
