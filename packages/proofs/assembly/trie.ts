/**
 * Computes the root of the trie that maps RLP-encoded indices to the items of a list. The key order is known, so no trie is built. The leaves are
 * hashed in key order. After the leaves, the nodes above the leaves are computed from the leaves' references.
 */
import { keccak256 } from '../../evm/interpreter/core/keccak';
import { ENCODED, ENCODED_SIZE, ROW_SIZE, SCRATCH } from './block';

/**
 * Number of free bytes in front of each encoded item. The header, path and value length of the item's leaf are written into these bytes. Each part
 * has at most 4 bytes.
 */
export const LEAF_ROOM: usize = 16;
const MAX_HEADER: usize = 4;
const STRING_BASE: u32 = 0x80;
const LIST_BASE: u32 = 0xc0;
const HASH_LENGTH: usize = 32;
/** First index whose key has several bytes. In key order, the key of index 0 (0x80) comes directly before the long keys. */
const FIRST_LONG: u32 = 128;
const FIRST_LONGEST: u32 = 256;
/** Maximum number of items in the trie. Indices from this number on have keys of more than three bytes. */
export const MAX_ITEMS: u32 = 0x10000;

/** Bytes for a node under construction: a branch of 16 references, and its header. Each nibble level of a key has its own node. */
const NODE_ROOM: usize = 560;
const NODES: usize = memory.data(8 * 560);
let top: usize = NODES;

let rows: usize = 0;
let count: u32 = 0;
/** Start and end of the last written node. */
let nodeStart: usize = 0;
let nodeEnd: usize = 0;

/** Returns the index in the list of the item at `position` in the trie's key order. */
@inline
function indexAt(position: u32): u32 {
  const zero = min(count, FIRST_LONG) - 1;
  return position < zero ? position + 1 : position == zero ? 0 : position;
}

/** Returns the nibbles of the key at this position. The highest four bits of the result are the first nibble. */
function keyAt(position: u32): u32 {
  const index = indexAt(position);
  if (index == 0) return STRING_BASE << 24;
  if (index < FIRST_LONG) return index << 24;
  return index < FIRST_LONGEST ? 0x8100_0000 | (index << 16) : 0x8200_0000 | (index << 8);
}

@inline
function bytesOfKey(index: u32): u32 {
  return index < FIRST_LONG ? 1 : index < FIRST_LONGEST ? 2 : 3;
}

@inline
function nibbleOf(key: u32, at: u32): u32 {
  return (key >> (28 - 4 * at)) & 15;
}

/** Returns the length of the common prefix of two different keys, in nibbles. */
@inline
function countShared(key: u32, other: u32): u32 {
  return clz(key ^ other) >> 2;
}

/** Writes an RLP header in front of the payload at `start`. @returns start of the header */
function writeHeader(start: usize, base: u32, length: usize): usize {
  if (length < 56) {
    store<u8>(--start, <u8>(base + <u32>length));
    return start;
  }
  let bytes: u32 = 0;
  for (let rest = length; rest > 0; rest >>= 8, bytes++) store<u8>(--start, <u8>rest);
  store<u8>(--start, <u8>(base + 55 + bytes));
  return start;
}

/**
 * Makes a leaf of an encoded item, in place. The leaf's header, path and value length are written in front of the encoded item.
 * @param from number of key nibbles above the leaf
 */
function writeLeaf(row: usize, index: u32, key: u32, from: u32): void {
  let start = <usize>load<u32>(row, ENCODED);
  const size = <usize>load<u32>(row, ENCODED_SIZE);
  nodeEnd = start + size;
  if (size != 1 || load<u8>(start) >= <u8>STRING_BASE) start = writeHeader(start, STRING_BASE, size);
  const keyBytes = bytesOfKey(index);
  const left = keyBytes * 2 - from;
  for (let i = keyBytes; i * 2 > from + 1; i--) store<u8>(--start, <u8>(key >> (32 - 8 * i)));
  store<u8>(--start, (left & 1) != 0 ? <u8>(0x30 | nibbleOf(key, from)) : 0x20);
  if (left > 1) store<u8>(--start, <u8>(STRING_BASE + 1 + (left >> 1)));
  nodeStart = writeHeader(start, LIST_BASE, nodeEnd - start);
}

/**
 * Writes to `target` the reference of the last written node: the hash, or the node itself if it is shorter than a hash.
 * @returns end of the reference
 */
function writeReference(target: usize): usize {
  const size = nodeEnd - nodeStart;
  if (size < HASH_LENGTH) {
    memory.copy(target, nodeStart, size);
    return target + size;
  }
  keccak256(nodeStart, <u32>size, target + 1);
  store<u8>(target, <u8>(STRING_BASE + <u32>HASH_LENGTH));
  return target + 1 + HASH_LENGTH;
}

/** Writes the extension or branch above at least two leaves whose keys share their first `depth` nibbles. */
function writeNode(from: u32, to: u32, depth: u32): void {
  const start = top + MAX_HEADER;
  top += NODE_ROOM;
  let out = start;
  const first = keyAt(from);
  const end = countShared(first, keyAt(to - 1));
  if (end > depth) {
    const left = end - depth;
    if (left > 1) store<u8>(out++, <u8>(STRING_BASE + 1 + (left >> 1)));
    store<u8>(out++, (left & 1) != 0 ? <u8>(0x10 | nibbleOf(first, depth)) : 0);
    for (let i = depth + (left & 1); i < end; i += 2)
      store<u8>(out++, <u8>((nibbleOf(first, i) << 4) | nibbleOf(first, i + 1)));
    out = refer(from, to, end, out);
  } else {
    for (let nibble: u32 = 0; nibble < 16; nibble++) {
      const begin = from;
      while (from < to && nibbleOf(keyAt(from), depth) == nibble) from++;
      if (from == begin) store<u8>(out++, <u8>STRING_BASE);
      else out = refer(begin, from, depth + 1, out);
    }
    store<u8>(out++, <u8>STRING_BASE);
  }
  nodeStart = writeHeader(start, LIST_BASE, out - start);
  nodeEnd = out;
  top -= NODE_ROOM;
}

/** Writes to `target` the reference of the subtree over the leaves [from, to). @returns end of the reference */
function refer(from: u32, to: u32, depth: u32, target: usize): usize {
  if (to - from > 1) {
    writeNode(from, to, depth);
    return writeReference(target);
  }
  const row = rows + <usize>indexAt(from) * ROW_SIZE;
  const size = <usize>load<u32>(row, ENCODED_SIZE);
  memory.copy(target, load<u32>(row, ENCODED), size);
  return target + size;
}

/**
 * Hashes the trie of all items. Overwrites each encoding with the reference of its leaf.
 * @param table rows of the items
 * @param items number of items, at most `MAX_ITEMS`
 * @returns address of the root hash
 */
export function hashTrie(table: usize, items: u32): usize {
  rows = table;
  count = items;
  if (items == 0) {
    store<u8>(SCRATCH, <u8>STRING_BASE);
    keccak256(SCRATCH, 1, SCRATCH);
    return SCRATCH;
  }
  let shared: u32 = 0;
  for (let position: u32 = 0; position < items; position++) {
    const index = indexAt(position);
    const key = keyAt(position);
    const sharedBefore = shared;
    shared = position + 1 < items ? countShared(key, keyAt(position + 1)) : 0;
    const row = table + <usize>index * ROW_SIZE;
    writeLeaf(row, index, key, items == 1 ? 0 : max(sharedBefore, shared) + 1);
    if (items == 1) break;
    const start = nodeStart;
    const end = writeReference(start);
    store<u32>(row, <u32>start, ENCODED);
    store<u32>(row, <u32>(end - start), ENCODED_SIZE);
  }
  if (items > 1) writeNode(0, items, 0);
  keccak256(nodeStart, <u32>(nodeEnd - nodeStart), SCRATCH);
  return SCRATCH;
}
