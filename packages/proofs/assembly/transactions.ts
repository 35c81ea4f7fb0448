/** Fast path for transactions of types 0 to 3 with only the usual members and a matching hash. */
import { keccak256 } from '../../evm/interpreter/core/keccak';
import { BLOBS, baseFee, FROM, GAS_PRICE, HAS_TO, HASH, HASH_TEXT, isPlaced, NONCE, ROW_SIZE, SCRATCH, TO, TYPE, typeOf } from './block';
import { decode } from './hex';
import { closeList, openList, out, writeByte, writeBytes, writeInteger, writeNothing, writeStrings } from './rlp';
import { at, CLOSE_LIST, decodeMember, enterList, HAS_ITEM, HEX_START, hasOthers, INNER, isNothing, isSame, ITEM, kindOf } from './text';
import { LIST, lengthOf, Member, NO_ITEM, NO_MEMBER, NO_NUMBER, nextItem, numberOf, QUOTE, readObject, seek, STRING, startOf } from './text';

/**
 * Forms of types 0 to 3. A form is the number of fields, then per field the member, its fallback if absent, and the encoding. The caller of the
 * module writes the tables of all forms.
 */
export const FORMS: usize = memory.data(4 * 64);
const FORM_SIZE: usize = 64;
const FIELD_SIZE: usize = 3;
const AS_BYTES: u8 = 0;
const AS_INTEGER: u8 = 1;
const AS_RECIPIENT: u8 = 2;
const AS_ACCESS_LIST: u8 = 3;
/** Maximum length of a text of 256 bits, `0x` included. */
const MAX_WORD_TEXT: usize = 66;
const MAX_TYPE: u32 = 3;
const FIRST_DYNAMIC: u32 = 2;
const BLOB_TYPE: u32 = 3;
/** Maximum amount in computations, wei. Limiting amounts to 2^62 prevents an overflow of the sum of two amounts. */
const MAX_AMOUNT: u64 = 1 << 62;

function writeAccessList(list: usize): bool {
  if (!enterList(list)) return false;
  const start = openList();
  let found = nextItem(true);
  for (; found == HAS_ITEM; found = nextItem(false)) {
    if (!readObject(INNER)) return false;
    const end = at;
    const item = openList();
    if (kindOf(INNER, Member.address) != STRING || kindOf(INNER, Member.storageKeys) != LIST) return false;
    if (!writeBytes(startOf(INNER, Member.address), lengthOf(INNER, Member.address))) return false;
    if (writeStrings(startOf(INNER, Member.storageKeys)) < 0) return false;
    closeList(item);
    seek(end);
  }
  closeList(start);
  return found == NO_ITEM;
}

function writeField(field: usize): bool {
  let member = <u32>load<u8>(field);
  const other = <u32>load<u8>(field, 1);
  if (isNothing(kindOf(ITEM, member)) && other != NO_MEMBER) member = other;
  const kind = kindOf(ITEM, member);
  const as = load<u8>(field, 2);
  if (as == AS_RECIPIENT && isNothing(kind)) {
    writeNothing();
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

@inline
function isWord(member: u32): bool {
  return lengthOf(ITEM, member) <= MAX_WORD_TEXT;
}

/** Whether an integer is 0. The caller must check that the integer has digits. */
function isZero(member: u32): bool {
  const end = startOf(ITEM, member) + lengthOf(ITEM, member);
  for (let i = startOf(ITEM, member) + 2; i < end; i++) if (load<u8>(i) != 0x30) return false;
  return true;
}

/** Whether the transaction has no members of other types. */
function isOfType(type: u32): bool {
  if (hasOthers) return false;
  const hasFees = !isNothing(kindOf(ITEM, Member.maxFeePerGas)) || !isNothing(kindOf(ITEM, Member.maxPriorityFeePerGas));
  const hasBlobs = !isNothing(kindOf(ITEM, Member.maxFeePerBlobGas)) || !isNothing(kindOf(ITEM, Member.blobVersionedHashes));
  if ((type < FIRST_DYNAMIC && hasFees) || (type != BLOB_TYPE && hasBlobs)) return false;
  return type > 0 || isNothing(kindOf(ITEM, Member.accessList));
}

export function isPlainTransaction(row: usize, index: u32): bool {
  const type = typeOf(ITEM);
  if (type > MAX_TYPE || !isOfType(type)) return false;
  const start = out;
  if (type > 0) writeByte(<u8>type);
  const list = openList();
  const form = FORMS + <usize>type * FORM_SIZE;
  const fields = <usize>load<u8>(form);
  for (let i: usize = 0; i < fields; i++) if (!writeField(form + 1 + i * FIELD_SIZE)) return false;
  closeList(list);
  keccak256(start, <u32>(out - start), SCRATCH);
  if (!decodeMember(ITEM, Member.hash, 32, row + HASH) || !isSame(row + HASH, SCRATCH, 32)) return false;
  if (!isPlaced(ITEM, index) || !hasPlainSignature(type)) return false;
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
  let quotes: u32 = 0;
  for (let i = list; load<u8>(i) != CLOSE_LIST; i++) if (load<u8>(i) == QUOTE) quotes++;
  return quotes >> 1;
}

/** Whether the transaction has a signature whose members are all hashed, or agree with hashed members. */
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

/** Returns the effective gas price; `NO_NUMBER` if it is unknown, or differs from the member `gasPrice`. */
function priceOf(type: u32): u64 {
  const told = numberOf(ITEM, Member.gasPrice);
  if (type < FIRST_DYNAMIC) return told;
  const cap = numberOf(ITEM, Member.maxFeePerGas);
  const priority = numberOf(ITEM, Member.maxPriorityFeePerGas);
  if (baseFee > MAX_AMOUNT || cap > MAX_AMOUNT || priority > MAX_AMOUNT) return NO_NUMBER;
  const price = min(baseFee + priority, cap);
  return isNothing(kindOf(ITEM, Member.gasPrice)) || told == price ? price : NO_NUMBER;
}

/** Whether the list consists of the hashes of the `count` rows, in order. */
export function areHashes(list: usize, rows: usize, count: u32): bool {
  if (!enterList(list)) return false;
  let hashes: u32 = 0;
  let found = nextItem(true);
  for (; found == HAS_ITEM; found = nextItem(false)) {
    const text = at + 1;
    if (hashes == count || load<u8>(at) != QUOTE || load<u8>(text, HASH_TEXT) != QUOTE) return false;
    if (load<u16>(text) != HEX_START || !decode(text + 2, 32, SCRATCH)) return false;
    if (!isSame(SCRATCH, rows + <usize>hashes * ROW_SIZE + HASH, 32)) return false;
    seek(text + HASH_TEXT + 1);
    hashes++;
  }
  return found == NO_ITEM && hashes == count;
}
