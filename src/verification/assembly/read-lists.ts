/**
 * Goes through the text of a block's list of transactions, or of its receipts, once: encodes and hashes each item and compares what it says with
 * what follows. An item is plain where all of it is of the usual form and right; any other one is left to the caller to decide. What is
 * called plain here is exactly what `verify-transaction.ts` and `verify-receipts.ts` find nothing wrong with.
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
/** Place of the first item in the list of the block, of which the text may be a part. */
let first: u32 = 0;

/** Items so far. */
export function itemCount(): u32 {
  return index;
}

/** Whether the block object that was read last has no member that is not known here. */
let isKnownBlock: bool = false;

/**
 * Finds the list of transactions of a block object.
 * @returns where it begins, 0 where there is none or the text cannot be read; it ends at `listEnd()`
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
 * Whether the block object that was read last has the header with the hash at `BLOCK_HASH`, no uncles, and no member that is not known here.
 * @param target where there is room for as many bytes as the text has
 */
export function hasHeader(target: usize): bool {
  return isKnownBlock && isHeader(target);
}

/**
 * Begins with a list.
 * @param target where encodings go @param table for a row of each item @param known rows of the transactions, where the list is of receipts, else 0
 * @param maxItems that the table has room for @param place of the first item in the list of the block
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

/** Makes room for the encoding of the last item, which was left to the caller. @returns where it goes */
export function place(size: u32): usize {
  const start = out;
  store<u32>(rows + <usize>(index - 1) * ROW_SIZE, size, ENCODED_SIZE);
  writeAt(start + size);
  return start;
}

/** Goes on to the next item that is not plain. @returns its index, -1 at the end, -2 where the text cannot be read or has too many items */
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
