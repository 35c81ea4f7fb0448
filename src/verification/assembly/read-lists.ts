/**
 * Goes through the text of a block's list of transactions, or of its receipts, once: encodes and hashes each item and compares what it says with
 * what follows. An item is plain where all of it is of the usual form and right; any other one is left to the caller, who decides about it. What is
 * called plain here is exactly what `verify-transaction.ts` and `verify-receipts.ts` find nothing wrong with.
 *
 * A text is read up to 31 bytes past its end.
 */
import { keccak256 } from '../../evm/core/keccak';

/** `list-reader.ts` has the same. */
const ROW_SIZE: usize = 128;
const ROW_START: usize = 0;
const ROW_END: usize = 4;
const ENCODED: usize = 8;
const ENCODED_SIZE: usize = 12;
const IS_PLAIN: usize = 16;
const TYPE: usize = 20;
const GAS_PRICE: usize = 24;
const NONCE: usize = 32;
const HASH: usize = 40;
const FROM: usize = 72;
const TO: usize = 92;
const HAS_TO: usize = 112;
const BLOBS: usize = 116;

const END: i32 = -1;
const UNREADABLE: i32 = -2;

/** Members by their places among `NAMES`. */
const enum Member {
  hash,
  from,
  to,
  type,
  nonce,
  blockHash,
  blockNumber,
  blockTimestamp,
  transactionIndex,
  transactionHash,
  input,
  data,
  v,
  yParity,
  r,
  s,
  chainId,
  gasPrice,
  maxFeePerGas,
  maxPriorityFeePerGas,
  gas,
  value,
  accessList,
  maxFeePerBlobGas,
  blobVersionedHashes,
  status,
  root,
  cumulativeGasUsed,
  gasUsed,
  contractAddress,
  effectiveGasPrice,
  blobGasUsed,
  logs,
  logsBloom,
  address,
  topics,
  logIndex,
  removed,
  storageKeys,
  transactions,
}
const MEMBERS: u32 = 40;

const NAME_SIZE: usize = 32;
const NO_MEMBER: u32 = 255;
/** A length, and the characters. Written by the caller. */
export const NAMES: usize = memory.data(64 * 32);
/** Of each position in an object, the member that was there last. */
const PREDICTED: usize = memory.data(256);
/** Fields of types 0 to 3: how many, and of each two members, the second where the first is absent, and how it is encoded. Written by the caller. */
export const FORMS: usize = memory.data(4 * 64);
const FORM_SIZE: usize = 64;
const FIELD_SIZE: usize = 3;
const AS_BYTES: u8 = 0;
const AS_INTEGER: u8 = 1;
const AS_RECIPIENT: u8 = 2;
const AS_ACCESS_LIST: u8 = 3;
/** Hash of the block as lower-case text, written by the caller. */
export const BLOCK_HASH: usize = memory.data(66);
const HASH_TEXT: usize = 66;
const ADDRESS_TEXT: usize = 42;
/** Digits of 256 bits, with 0x. */
const MAX_WORD_TEXT: usize = 66;

/** Values of the members of an object: where each begins, how long it is, and what it is. */
const SLOT_SIZE: usize = 12;
const ITEM: usize = memory.data(64 * 12);
const INNER: usize = memory.data(64 * 12);
const ABSENT: u32 = 0;
const STRING: u32 = 1;
const LIST: u32 = 2;
const FALSE: u32 = 3;
const NULL: u32 = 4;
const OTHER: u32 = 5;
const BROKEN: u32 = 6;

const SCRATCH: usize = memory.data(64);
const QUOTE: u8 = 0x22;
const COMMA: u8 = 0x2c;
const COLON: u8 = 0x3a;
const BACKSLASH: u8 = 0x5c;
const OPEN_LIST: u8 = 0x5b;
const CLOSE_LIST: u8 = 0x5d;
const OPEN_OBJECT: u8 = 0x7b;
const CLOSE_OBJECT: u8 = 0x7d;
const HEX_START: u16 = 0x7830;
const STRING_BASE: u32 = 0x80;
const LIST_BASE: u32 = 0xc0;
/** Of the header of a list, which is moved when its length is known. */
const MAX_HEADER: usize = 4;
const MAX_TYPE: u32 = 3;
const FIRST_DYNAMIC: u32 = 2;
const BLOB_TYPE: u32 = 3;
const GAS_PER_BLOB: u64 = 131072;
/** Sums of two amounts below it do not overflow. */
const MAX_AMOUNT: u64 = 1 << 62;
const NO_NUMBER: u64 = u64.MAX_VALUE;

let at: usize = 0;
let out: usize = 0;
let rows: usize = 0;
let facts: usize = 0;
let index: u32 = 0;
let count: u32 = 0;
let areReceipts: bool = false;
let number: u64 = 0;
let timestamp: u64 = 0;
let baseFee: u64 = NO_NUMBER;
/** What the receipts before one add up to. */
let gasBefore: u64 = 0;
let logsBefore: u32 = 0;

export function setBlock(blockNumber: u64, time: u64, fee: u64): void {
  number = blockNumber;
  timestamp = time;
  baseFee = fee;
}

/** What the receipts up to one have added up to that was left to the caller. */
export function setWalk(gas: u64, logs: u32): void {
  gasBefore = gas;
  logsBefore = logs;
}

export function walkedGas(): u64 {
  return gasBefore;
}

export function walkedLogs(): u32 {
  return logsBefore;
}

/** Items so far. */
export function itemCount(): u32 {
  return index;
}

/**
 * Finds the list of transactions of a block object.
 * @returns where it begins, 0 where there is none or the text cannot be read; it ends at `listEnd()`
 */
export function findTransactions(text: usize): usize {
  at = text;
  skipBlanks();
  if (!readObject(ITEM) || kindOf(ITEM, Member.transactions) != LIST) return 0;
  return startOf(ITEM, Member.transactions);
}

export function listEnd(): usize {
  return startOf(ITEM, Member.transactions) + lengthOf(ITEM, Member.transactions);
}

/**
 * Begins with a list.
 * @param target where encodings go @param table for a row of each item @param known rows of the transactions, where the list is of receipts, else 0
 * @param maxItems that the table has room for
 */
export function begin(text: usize, target: usize, table: usize, known: usize, maxItems: u32): bool {
  at = text;
  out = target;
  rows = table;
  facts = known;
  areReceipts = known != 0;
  count = maxItems;
  index = 0;
  gasBefore = 0;
  logsBefore = 0;
  skipBlanks();
  return load<u8>(at) == OPEN_LIST;
}

/** Goes on to the next item that is not plain. @returns its index, -1 at the end, -2 where the text cannot be read or has too many items */
export function next(): i32 {
  while (true) {
    if (index == 0) {
      at++;
      skipBlanks();
      if (load<u8>(at) == CLOSE_LIST) return END;
    } else {
      skipBlanks();
      if (load<u8>(at) == CLOSE_LIST) return END;
      if (load<u8>(at) != COMMA) return UNREADABLE;
      at++;
      skipBlanks();
    }
    if (index == count) return UNREADABLE;
    const row = rows + <usize>index * ROW_SIZE;
    store<u32>(row, <u32>at, ROW_START);
    if (load<u8>(at) != OPEN_OBJECT || !readObject(ITEM)) return UNREADABLE;
    store<u32>(row, <u32>at, ROW_END);
    const end = at;
    const start = out;
    const isPlain = areReceipts ? isPlainReceipt(facts + <usize>index * ROW_SIZE) : isPlainTransaction(row);
    at = end;
    index++;
    store<u32>(row, isPlain, IS_PLAIN);
    store<u32>(row, <u32>start, ENCODED);
    store<u32>(row, <u32>(out - start), ENCODED_SIZE);
    if (!isPlain) {
      out = start;
      return <i32>(index - 1);
    }
  }
}

@inline
function startOf(slots: usize, member: u32): usize {
  return load<u32>(slots + <usize>member * SLOT_SIZE);
}

@inline
function lengthOf(slots: usize, member: u32): usize {
  return load<u32>(slots + <usize>member * SLOT_SIZE, 4);
}

@inline
function kindOf(slots: usize, member: u32): u32 {
  return load<u32>(slots + <usize>member * SLOT_SIZE, 8);
}

@inline
function isNothing(kind: u32): bool {
  return kind == ABSENT || kind == NULL;
}

@inline
function skipBlanks(): void {
  for (let c = load<u8>(at); c == 0x20 || c == 0x0a || c == 0x0d || c == 0x09; c = load<u8>(++at));
}

/** From a quote to behind the next one; false where the string has escapes or does not end. */
function skipString(): bool {
  at++;
  while (true) {
    const characters = v128.load(at);
    const found = i8x16.bitmask(
      v128.or(
        v128.or(i8x16.eq(characters, i8x16.splat(QUOTE)), i8x16.eq(characters, i8x16.splat(BACKSLASH))),
        i8x16.eq(characters, i8x16.splat(0)),
      ),
    );
    if (found != 0) {
      at += ctz<u32>(found);
      return load<u8>(at++) == QUOTE;
    }
    at += 16;
  }
}

/** @returns what the value is */
function skipValue(): u32 {
  const first = load<u8>(at);
  if (first == QUOTE) return skipString() ? STRING : BROKEN;
  if (first == OPEN_LIST || first == OPEN_OBJECT) {
    let depth: u32 = 0;
    do {
      const c = load<u8>(at);
      if (c == QUOTE) {
        if (!skipString()) return BROKEN;
        continue;
      }
      if (c == 0) return BROKEN;
      if (c == OPEN_LIST || c == OPEN_OBJECT) depth++;
      else if (c == CLOSE_LIST || c == CLOSE_OBJECT) depth--;
      at++;
    } while (depth > 0);
    return first == OPEN_LIST ? LIST : OTHER;
  }
  const start = at;
  for (let c = load<u8>(at); c != COMMA && c != CLOSE_OBJECT && c != CLOSE_LIST && c > 0x20; c = load<u8>(++at));
  if (at == start) return BROKEN;
  if (at - start == 4 && load<u32>(start) == 0x6c6c756e) return NULL;
  if (at - start == 5 && load<u32>(start) == 0x736c6166) return FALSE;
  return OTHER;
}

/** Reads an object, and where the values of known members are. */
function readObject(slots: usize): bool {
  memory.fill(slots, 0, SLOT_SIZE * <usize>MEMBERS);
  if (load<u8>(at) != OPEN_OBJECT) return false;
  at++;
  skipBlanks();
  if (load<u8>(at) == CLOSE_OBJECT) {
    at++;
    return true;
  }
  let position: u32 = 0;
  while (true) {
    if (load<u8>(at) != QUOTE) return false;
    const name = at + 1;
    if (!skipString()) return false;
    const member = findMember(name, at - 1 - name, position++ & 255);
    skipBlanks();
    if (load<u8>(at) != COLON) return false;
    at++;
    skipBlanks();
    const start = at;
    const kind = skipValue();
    if (kind == BROKEN) return false;
    if (member != NO_MEMBER) {
      const slot = slots + <usize>member * SLOT_SIZE;
      const isText = kind == STRING;
      store<u32>(slot, <u32>(isText ? start + 1 : start));
      store<u32>(slot, <u32>(isText ? at - start - 2 : at - start), 4);
      store<u32>(slot, kind, 8);
    }
    skipBlanks();
    const c = load<u8>(at++);
    if (c == CLOSE_OBJECT) return true;
    if (c != COMMA) return false;
    skipBlanks();
  }
}

/** Objects of a list have the same members in the same order nearly always. */
function findMember(name: usize, length: usize, position: u32): u32 {
  const predicted = <u32>load<u8>(PREDICTED + position);
  if (predicted < MEMBERS && isNamed(predicted, name, length)) return predicted;
  for (let member: u32 = 0; member < MEMBERS; member++) {
    if (isNamed(member, name, length)) {
      store<u8>(PREDICTED + position, <u8>member);
      return member;
    }
  }
  return NO_MEMBER;
}

@inline
function isNamed(member: u32, name: usize, length: usize): bool {
  const known = NAMES + <usize>member * NAME_SIZE;
  return load<u8>(known) == length && isSame(known + 1, name, length);
}

function isSame(first: usize, second: usize, length: usize): bool {
  let i: usize = 0;
  for (; i + 8 <= length; i += 8) if (load<u64>(first + i) != load<u64>(second + i)) return false;
  for (; i < length; i++) if (load<u8>(first + i) != load<u8>(second + i)) return false;
  return true;
}

/** The value of a hex digit; above 15 for anything else. */
@inline
function digitAt(text: usize): u32 {
  const c = <u32>load<u8>(text);
  const decimal = c - 0x30;
  if (decimal < 10) return decimal;
  const letter = (c | 0x20) - 0x61;
  return letter < 6 ? letter + 10 : 16;
}

/** Writes so many bytes from hex digits. */
function decode(text: usize, length: usize, target: usize): bool {
  let areDigits = i8x16.splat(-1);
  let i: usize = 0;
  for (; i + 16 <= length; i += 16) {
    let joined = i8x16.splat(0);
    for (let half: usize = 0; half < 2; half++) {
      const characters = v128.load(text + 2 * i + 16 * half);
      const lower = v128.or(characters, i8x16.splat(0x20));
      const decimals = i8x16.lt_u(i8x16.sub(characters, i8x16.splat(0x30)), i8x16.splat(10));
      const letters = i8x16.lt_u(i8x16.sub(lower, i8x16.splat(0x61)), i8x16.splat(6));
      areDigits = v128.and(areDigits, v128.or(decimals, letters));
      const values = v128.bitselect(
        i8x16.sub(characters, i8x16.splat(0x30)),
        i8x16.sub(lower, i8x16.splat(0x57)),
        decimals,
      );
      const pairs = v128.and(
        v128.or(i16x8.shl(values, 4), i16x8.shr_u(values, 8)),
        i16x8.splat(0xff),
      );
      joined = half == 0 ? pairs : i8x16.narrow_i16x8_u(joined, pairs);
    }
    v128.store(target + i, joined);
  }
  if (!i8x16.all_true(areDigits)) return false;
  for (; i < length; i++) {
    const high = digitAt(text + 2 * i);
    const low = digitAt(text + 2 * i + 1);
    if ((high | low) > 15) return false;
    store<u8>(target + i, <u8>((high << 4) | low));
  }
  return true;
}

/** Decodes a member that has to be so many bytes. */
function decodeMember(slots: usize, member: u32, length: usize, target: usize): bool {
  if (kindOf(slots, member) != STRING || lengthOf(slots, member) != 2 + 2 * length) return false;
  const text = startOf(slots, member);
  return load<u16>(text) == HEX_START && decode(text + 2, length, target);
}

/** A member that is a number of at most 64 bits, short of the largest; `NO_NUMBER` otherwise. */
function numberOf(slots: usize, member: u32): u64 {
  const length = lengthOf(slots, member);
  if (kindOf(slots, member) != STRING || length < 3 || length > 18) return NO_NUMBER;
  const text = startOf(slots, member);
  if (load<u16>(text) != HEX_START) return NO_NUMBER;
  let value: u64 = 0;
  for (let i: usize = 2; i < length; i++) {
    const digit = digitAt(text + i);
    if (digit > 15) return NO_NUMBER;
    value = (value << 4) | digit;
  }
  return value;
}

function writeHeader(base: u32, length: usize): void {
  if (length < 56) {
    store<u8>(out++, <u8>(base + <u32>length));
    return;
  }
  const bytes: u32 = length < 0x100 ? 1 : length < 0x10000 ? 2 : 3;
  store<u8>(out++, <u8>(base + 55 + bytes));
  for (let i = bytes; i > 0; i--) store<u8>(out++, <u8>(length >> (8 * (i - 1))));
}

/** Makes room for the header of a list. @returns where it begins */
@inline
function openList(): usize {
  out += MAX_HEADER;
  return out - MAX_HEADER;
}

function closeList(start: usize): void {
  const payload = start + MAX_HEADER;
  const length = out - payload;
  out = start;
  writeHeader(LIST_BASE, length);
  memory.copy(out, payload, length);
  out += length;
}

/** Writes a byte string from its text. */
function writeBytes(text: usize, length: usize): bool {
  if (length < 2 || (length & 1) != 0 || load<u16>(text) != HEX_START) return false;
  const size = (length - 2) >> 1;
  if (size == 1) {
    if (!decode(text + 2, 1, out)) return false;
    return closeByte();
  }
  writeHeader(STRING_BASE, size);
  if (!decode(text + 2, size, out)) return false;
  out += size;
  return true;
}

/** A byte that has been written is its own encoding below 0x80. */
@inline
function closeByte(): bool {
  const byte = load<u8>(out);
  if (byte >= 0x80) {
    store<u8>(out++, 0x81);
    store<u8>(out, byte);
  }
  out++;
  return true;
}

/** Writes an integer in its shortest form. */
function writeInteger(text: usize, length: usize): bool {
  if (length < 3 || load<u16>(text) != HEX_START) return false;
  const end = text + length;
  let from = text + 2;
  while (from < end && load<u8>(from) == 0x30) from++;
  const digits = end - from;
  const size = (digits + 1) >> 1;
  if (size != 1) writeHeader(STRING_BASE, size);
  const start = out;
  if ((digits & 1) != 0) {
    const digit = digitAt(from++);
    if (digit > 15) return false;
    store<u8>(out++, <u8>digit);
  }
  if (!decode(from, digits >> 1, out)) return false;
  out = start + size;
  if (size != 1) return true;
  out = start;
  return closeByte();
}

/** Writes the strings of a list as a list of byte strings. @returns how many there are, -1 where it is no such list */
function writeStrings(list: usize): i32 {
  const start = openList();
  at = list + 1;
  skipBlanks();
  let strings: i32 = 0;
  while (load<u8>(at) != CLOSE_LIST) {
    if (strings > 0) {
      if (load<u8>(at) != COMMA) return -1;
      at++;
      skipBlanks();
    }
    const text = at + 1;
    if (load<u8>(at) != QUOTE || !skipString() || !writeBytes(text, at - 1 - text)) return -1;
    strings++;
    skipBlanks();
  }
  at++;
  closeList(start);
  return strings;
}

function writeAccessList(list: usize): bool {
  const start = openList();
  at = list + 1;
  skipBlanks();
  let isFirst = true;
  while (load<u8>(at) != CLOSE_LIST) {
    if (!isFirst) {
      if (load<u8>(at) != COMMA) return false;
      at++;
      skipBlanks();
    }
    isFirst = false;
    if (!readObject(INNER)) return false;
    const end = at;
    const item = openList();
    if (kindOf(INNER, Member.address) != STRING || kindOf(INNER, Member.storageKeys) != LIST) return false;
    if (!writeBytes(startOf(INNER, Member.address), lengthOf(INNER, Member.address))) return false;
    if (writeStrings(startOf(INNER, Member.storageKeys)) < 0) return false;
    closeList(item);
    at = end;
    skipBlanks();
  }
  closeList(start);
  return true;
}

function writeField(field: usize): bool {
  let member = <u32>load<u8>(field);
  const other = <u32>load<u8>(field, 1);
  if (isNothing(kindOf(ITEM, member)) && other != NO_MEMBER) member = other;
  const kind = kindOf(ITEM, member);
  const as = load<u8>(field, 2);
  if (as == AS_RECIPIENT && isNothing(kind)) {
    store<u8>(out++, <u8>STRING_BASE);
    return true;
  }
  const start = startOf(ITEM, member);
  if (as >= AS_ACCESS_LIST) {
    if (kind != LIST) return false;
    return as == AS_ACCESS_LIST ? writeAccessList(start) : writeStrings(start) >= 0;
  }
  if (kind != STRING) return false;
  const length = lengthOf(ITEM, member);
  return as == AS_INTEGER ? writeInteger(start, length) : writeBytes(start, length);
}

/** Where an item says that it is: in the block, at this index. */
function isPlaced(slots: usize, isWhole: bool): bool {
  const hash = kindOf(slots, Member.blockHash);
  if (hash == STRING) {
    if (lengthOf(slots, Member.blockHash) != HASH_TEXT) return false;
    if (!isSame(startOf(slots, Member.blockHash), BLOCK_HASH, HASH_TEXT)) return false;
  } else if (isWhole || hash != ABSENT) return false;
  if (isWhole || kindOf(slots, Member.blockNumber) != ABSENT)
    if (numberOf(slots, Member.blockNumber) != number) return false;
  if (isWhole || kindOf(slots, Member.transactionIndex) != ABSENT)
    if (numberOf(slots, Member.transactionIndex) != index) return false;
  return isNothing(kindOf(slots, Member.blockTimestamp)) || numberOf(slots, Member.blockTimestamp) == timestamp;
}

/** The type of an item, 0 where it says none; above 15 where it is none of one digit. */
function typeOf(slots: usize): u32 {
  if (isNothing(kindOf(slots, Member.type))) return 0;
  return lengthOf(slots, Member.type) == 3 ? <u32>numberOf(slots, Member.type) : 16;
}

@inline
function isWord(member: u32): bool {
  return lengthOf(ITEM, member) <= MAX_WORD_TEXT;
}

/** Whether an integer, whose digits have been found to be some, is 0. */
function isZero(member: u32): bool {
  const end = startOf(ITEM, member) + lengthOf(ITEM, member);
  for (let i = startOf(ITEM, member) + 2; i < end; i++) if (load<u8>(i) != 0x30) return false;
  return true;
}

function isPlainTransaction(row: usize): bool {
  const type = typeOf(ITEM);
  if (type > MAX_TYPE) return false;
  const start = out;
  if (type > 0) store<u8>(out++, <u8>type);
  const list = openList();
  const form = FORMS + <usize>type * FORM_SIZE;
  const fields = <usize>load<u8>(form);
  for (let i: usize = 0; i < fields; i++) if (!writeField(form + 1 + i * FIELD_SIZE)) return false;
  closeList(list);
  keccak256(start, <u32>(out - start), SCRATCH);
  if (!decodeMember(ITEM, Member.hash, 32, row + HASH) || !isSame(row + HASH, SCRATCH, 32)) return false;
  if (!isPlaced(ITEM, true) || !hasPlainSignature(type)) return false;
  if (!isNothing(kindOf(ITEM, Member.input)) && !isNothing(kindOf(ITEM, Member.data))) return false;
  const price = priceOf(type);
  const nonce = numberOf(ITEM, Member.nonce);
  if (price == NO_NUMBER || nonce == NO_NUMBER) return false;
  const hasTo = !isNothing(kindOf(ITEM, Member.to));
  if (hasTo && !decodeMember(ITEM, Member.to, 20, row + TO)) return false;
  if (!decodeMember(ITEM, Member.from, 20, row + FROM)) return false;
  store<u32>(row, type, TYPE);
  store<u64>(row, price, GAS_PRICE);
  store<u64>(row, nonce, NONCE);
  store<u32>(row, hasTo, HAS_TO);
  store<u32>(row, type == BLOB_TYPE ? countStrings(startOf(ITEM, Member.blobVersionedHashes)) : 0, BLOBS);
  return true;
}

function countStrings(list: usize): u32 {
  at = list + 1;
  let quotes: u32 = 0;
  for (; load<u8>(at) != CLOSE_LIST; at++) if (load<u8>(at) == QUOTE) quotes++;
  return quotes >> 1;
}

/** Signed by somebody, with members that do not contradict each other; all of them have been encoded. */
function hasPlainSignature(type: u32): bool {
  if (!isWord(Member.r) || !isWord(Member.s) || (isZero(Member.r) && isZero(Member.s))) return false;
  const hasV = kindOf(ITEM, Member.v) == STRING;
  const hasParity = !isNothing(kindOf(ITEM, Member.yParity));
  if (type == 0) {
    const v = numberOf(ITEM, Member.v);
    if (v == NO_NUMBER || hasParity) return false;
    const isProtected = v >= 35;
    return !isProtected || isNothing(kindOf(ITEM, Member.chainId)) || numberOf(ITEM, Member.chainId) == (v - 35) >> 1;
  }
  if (!hasV) return isWord(Member.yParity);
  if (!isWord(Member.v)) return false;
  if (!hasParity) return true;
  const length = lengthOf(ITEM, Member.v);
  return (
    kindOf(ITEM, Member.yParity) == STRING &&
    lengthOf(ITEM, Member.yParity) == length &&
    isSame(startOf(ITEM, Member.v), startOf(ITEM, Member.yParity), length)
  );
}

/** What a unit of gas costs; `NO_NUMBER` where that is not told or something else. */
function priceOf(type: u32): u64 {
  const told = numberOf(ITEM, Member.gasPrice);
  if (type < FIRST_DYNAMIC) return told;
  const cap = numberOf(ITEM, Member.maxFeePerGas);
  const priority = numberOf(ITEM, Member.maxPriorityFeePerGas);
  if (baseFee > MAX_AMOUNT || cap > MAX_AMOUNT || priority > MAX_AMOUNT) return NO_NUMBER;
  const price = min(baseFee + priority, cap);
  return isNothing(kindOf(ITEM, Member.gasPrice)) || told == price ? price : NO_NUMBER;
}

/** @param known row of the transaction */
function isPlainReceipt(known: usize): bool {
  const type = load<u32>(known, TYPE);
  if (load<u32>(known, IS_PLAIN) == 0 || load<u32>(known, HAS_TO) == 0) return false;
  if (!isNothing(kindOf(ITEM, Member.root)) || !isNothing(kindOf(ITEM, Member.contractAddress))) return false;
  if (!isNothing(kindOf(ITEM, Member.type)) && typeOf(ITEM) != type) return false;
  if (!isPlaced(ITEM, true)) return false;
  if (!decodeMember(ITEM, Member.transactionHash, 32, SCRATCH) || !isSame(SCRATCH, known + HASH, 32)) return false;
  if (!decodeMember(ITEM, Member.to, 20, SCRATCH) || !isSame(SCRATCH, known + TO, 20)) return false;
  if (!isNothing(kindOf(ITEM, Member.from)))
    if (!decodeMember(ITEM, Member.from, 20, SCRATCH) || !isSame(SCRATCH, known + FROM, 20)) return false;
  const price = load<u64>(known, GAS_PRICE);
  if (!isNumberOrNothing(Member.effectiveGasPrice, price)) return false;
  if (!isNumberOrNothing(Member.blobGasUsed, load<u32>(known, BLOBS) * GAS_PER_BLOB)) return false;
  const gas = numberOf(ITEM, Member.cumulativeGasUsed);
  if (gas == NO_NUMBER || gas < gasBefore || !isNumberOrNothing(Member.gasUsed, gas - gasBefore)) return false;
  if (kindOf(ITEM, Member.status) != STRING || kindOf(ITEM, Member.logsBloom) != STRING) return false;
  if (type > 0) store<u8>(out++, <u8>type);
  const list = openList();
  if (!writeInteger(startOf(ITEM, Member.status), lengthOf(ITEM, Member.status))) return false;
  if (!writeInteger(startOf(ITEM, Member.cumulativeGasUsed), lengthOf(ITEM, Member.cumulativeGasUsed))) return false;
  if (!writeBytes(startOf(ITEM, Member.logsBloom), lengthOf(ITEM, Member.logsBloom))) return false;
  if (kindOf(ITEM, Member.logs) != LIST) return false;
  const logs = writeLogs(startOf(ITEM, Member.logs));
  if (logs < 0) return false;
  closeList(list);
  gasBefore = gas;
  logsBefore += logs;
  return true;
}

@inline
function isNumberOrNothing(member: u32, value: u64): bool {
  return isNothing(kindOf(ITEM, member)) || numberOf(ITEM, member) == value;
}

/** Writes the logs of a receipt. @returns how many there are, -1 where one is not plain */
function writeLogs(list: usize): i32 {
  const start = openList();
  at = list + 1;
  skipBlanks();
  let logs: i32 = 0;
  while (load<u8>(at) != CLOSE_LIST) {
    if (logs > 0) {
      if (load<u8>(at) != COMMA) return -1;
      at++;
      skipBlanks();
    }
    if (!readObject(INNER)) return -1;
    const end = at;
    if (!isPlainLog(logsBefore + logs)) return -1;
    at = end;
    logs++;
    skipBlanks();
  }
  closeList(start);
  return logs;
}

function isPlainLog(logIndex: u32): bool {
  if (!isPlaced(INNER, false)) return false;
  const removed = kindOf(INNER, Member.removed);
  if (removed != ABSENT && removed != FALSE) return false;
  if (!isNothing(kindOf(INNER, Member.logIndex)) && numberOf(INNER, Member.logIndex) != logIndex) return false;
  const hash = kindOf(INNER, Member.transactionHash);
  if (hash == STRING) {
    if (lengthOf(INNER, Member.transactionHash) != HASH_TEXT) return false;
    if (!isSame(startOf(INNER, Member.transactionHash), startOf(ITEM, Member.transactionHash), HASH_TEXT)) return false;
  } else if (hash != ABSENT) return false;
  if (kindOf(INNER, Member.address) != STRING || kindOf(INNER, Member.data) != STRING) return false;
  if (kindOf(INNER, Member.topics) != LIST) return false;
  const list = openList();
  if (!writeBytes(startOf(INNER, Member.address), lengthOf(INNER, Member.address))) return false;
  if (writeStrings(startOf(INNER, Member.topics)) < 0) return false;
  if (!writeBytes(startOf(INNER, Member.data), lengthOf(INNER, Member.data))) return false;
  closeList(list);
  return true;
}
