/**
 * Reads the text of a transaction list or receipt list once. The module encodes and hashes each item, and compares the item's other members with the
 * hashed members. An item is plain (`isPlain`) if it has only the usual members and all are correct. The caller of the module verifies every item
 * that is not plain. `verify-transaction.ts` and `verify-receipts.ts` find no fault in a plain item.
 */
import { ENCODED, ENCODED_SIZE, IS_PLAIN, ROW_END, ROW_SIZE, ROW_START } from './block';
import { isHeader } from './header';
import { isPlainReceipt, setWalk } from './receipts';
import { out, writeAt } from './rlp';
import { at, BLOCK, BROKEN_LIST, enterList, hasOthers, ITEM, kindOf, LIST, lengthOf, Member, NO_ITEM, nextItem } from './text';
import { OF_BLOCKS, readObject, seek, skipBlanks, startOf } from './text';
import { isPlainTransaction } from './transactions';
import { LEAF_ROOM } from './trie';

export { BLOCK_HASH, setBlock } from './block';
export { HEADER } from './header';
export { setWalk, walkedGas, walkedLogs } from './receipts';
export { BLOCK, NAMES } from './text';
export { areHashes, FORMS } from './transactions';
export { hashTrie, LEAF_ROOM, MAX_ITEMS } from './trie';

const END: i32 = -1;
const UNREADABLE: i32 = -2;

let rows: usize = 0;
let facts: usize = 0;
let index: u32 = 0;
let count: u32 = 0;
/** Index in the block's list of the first item of the text. The text may contain only a part of the list. */
let first: u32 = 0;

/** Items read so far. */
export function itemCount(): u32 {
  return index;
}

/** Whether the last block object that was read has no unknown members. */
let isKnownBlock: bool = false;

/**
 * Finds the transaction list of a block object.
 * @returns start of the list, which ends at `listEnd()`; 0 if there is no list or the text is unreadable
 */
export function findTransactions(text: usize): usize {
  seek(text);
  skipBlanks();
  if (!readObject(BLOCK, OF_BLOCKS) || kindOf(BLOCK, Member.transactions) != LIST) return 0;
  isKnownBlock = !hasOthers;
  return startOf(BLOCK, Member.transactions);
}

export function listEnd(): usize {
  return startOf(BLOCK, Member.transactions) + lengthOf(BLOCK, Member.transactions);
}

/**
 * Whether the last block object has no unknown members and no uncles, and its header hashes to the hash at `BLOCK_HASH`.
 * @param target buffer with room for as many bytes as the text has
 */
export function hasHeader(target: usize): bool {
  return isKnownBlock && isHeader(target);
}

/**
 * Starts reading a list.
 * @param target buffer for the encodings
 * @param table buffer for one row per item
 * @param known rows of the transactions if the list contains receipts, else 0
 * @param maxItems maximum number of rows in `table`
 * @param place index of the first item in the block's list
 */
export function begin(text: usize, target: usize, table: usize, known: usize, maxItems: u32, place: u32): bool {
  writeAt(target);
  rows = table;
  facts = known;
  count = maxItems;
  first = place;
  index = 0;
  return enterList(text);
}

/** Reserves `size` bytes for the encoding of the last item, which the caller encodes. @returns start of the encoding */
export function place(size: u32): usize {
  const start = out;
  store<u32>(rows + <usize>(index - 1) * ROW_SIZE, size, ENCODED_SIZE);
  writeAt(start + size);
  return start;
}

/**
 * Advances to the next item that is not plain, which the caller must verify.
 * @returns index of the item; -1 at the end; -2 if the text is unreadable or has too many items
 */
export function next(): i32 {
  while (true) {
    const found = nextItem(index == 0);
    if (found == NO_ITEM) return END;
    if (found == BROKEN_LIST || index == count) return UNREADABLE;
    const row = rows + <usize>index * ROW_SIZE;
    store<u32>(row, <u32>at, ROW_START);
    if (!readObject(ITEM)) return UNREADABLE;
    store<u32>(row, <u32>at, ROW_END);
    const end = at;
    const start = out + LEAF_ROOM;
    writeAt(start);
    const isPlain =
      facts == 0
        ? isPlainTransaction(row, first + index)
        : isPlainReceipt(facts + <usize>index * ROW_SIZE, first + index);
    seek(end);
    index++;
    store<u32>(row, isPlain, IS_PLAIN);
    store<u32>(row, <u32>start, ENCODED);
    if (!isPlain) {
      writeAt(start);
      return <i32>(index - 1);
    }
    store<u32>(row, <u32>(out - start), ENCODED_SIZE);
  }
}
