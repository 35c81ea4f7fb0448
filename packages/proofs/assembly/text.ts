/**
 * Reads JSON text: position, length and kind of each member's value. Reads go up to 63 bytes past the end of the text. The caller sets the 63 bytes
 * to zero.
 */
import { decode, digitAt } from './hex';

/** Indices of members in `NAMES`. */
export const enum Member {
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
  parentHash,
  sha3Uncles,
  miner,
  stateRoot,
  transactionsRoot,
  receiptsRoot,
  difficulty,
  number,
  gasLimit,
  timestamp,
  extraData,
  mixHash,
  baseFeePerGas,
  withdrawalsRoot,
  excessBlobGas,
  parentBeaconBlockRoot,
  requestsHash,
  blockAccessListHash,
  slotNumber,
  uncles,
  withdrawals,
  size,
  totalDifficulty,
}
/** Number of `NAMES` that list items may have. Names after the first 39 belong to block objects only, and count as unknown in list items. */
export const OF_ITEMS: u32 = 39;
export const OF_BLOCKS: u32 = 63;

const NAME_SIZE: usize = 32;
export const NO_MEMBER: u32 = 255;
/** Member names, 32 bytes each: the length, then the characters. The caller of the module writes the name table. */
export const NAMES: usize = memory.data(64 * 32);

/** Bytes of a slot, which describes a member's value: start, length, kind. */
const SLOT_SIZE: usize = 12;
/** Offset of the prediction table, which follows the slots. For each position in an object, the table contains the member last seen there. */
const PREDICTED: usize = 64 * 12;
/**
 * Member tables of a block, of a list item, and of an object inside an item. Each table has 64 slots, then 256 bytes that predict members by
 * position.
 */
export const BLOCK: usize = memory.data(64 * 12 + 256);
export const ITEM: usize = memory.data(64 * 12 + 256);
export const INNER: usize = memory.data(64 * 12 + 256);
export const ABSENT: u32 = 0;
export const STRING: u32 = 1;
export const LIST: u32 = 2;
export const FALSE: u32 = 3;
export const NULL: u32 = 4;
const OTHER: u32 = 5;
const BROKEN: u32 = 6;

export const QUOTE: u8 = 0x22;
const COMMA: u8 = 0x2c;
const COLON: u8 = 0x3a;
const BACKSLASH: u8 = 0x5c;
const OPEN_LIST: u8 = 0x5b;
export const CLOSE_LIST: u8 = 0x5d;
const OPEN_OBJECT: u8 = 0x7b;
const CLOSE_OBJECT: u8 = 0x7d;
export const HEX_START: u16 = 0x7830;
export const NO_NUMBER: u64 = u64.MAX_VALUE;

/** Return values of `nextItem`. */
export const HAS_ITEM: i32 = 1;
export const NO_ITEM: i32 = 0;
export const BROKEN_LIST: i32 = -1;

/** Read position. */
export let at: usize = 0;

@inline
export function seek(place: usize): void {
  at = place;
}

/** Enters a list. @returns false if there is no list */
export function enterList(list: usize): bool {
  at = list;
  skipBlanks();
  return load<u8>(at++) == OPEN_LIST;
}

/** Advances to the next item of a list, or past its end. */
export function nextItem(isFirst: bool): i32 {
  skipBlanks();
  const c = load<u8>(at);
  if (c == CLOSE_LIST) {
    at++;
    return NO_ITEM;
  }
  if (isFirst) return HAS_ITEM;
  if (c != COMMA) return BROKEN_LIST;
  at++;
  skipBlanks();
  return HAS_ITEM;
}

@inline
export function startOf(slots: usize, member: u32): usize {
  return load<u32>(slots + <usize>member * SLOT_SIZE);
}

@inline
export function lengthOf(slots: usize, member: u32): usize {
  return load<u32>(slots + <usize>member * SLOT_SIZE, 4);
}

@inline
export function kindOf(slots: usize, member: u32): u32 {
  return load<u32>(slots + <usize>member * SLOT_SIZE, 8);
}

@inline
export function isNothing(kind: u32): bool {
  return kind == ABSENT || kind == NULL;
}

@inline
export function skipBlanks(): void {
  for (let c = load<u8>(at); c == 0x20 || c == 0x0a || c == 0x0d || c == 0x09; c = load<u8>(++at));
}

/** Skips from an opening quote past the closing quote. @returns false if the string has escapes or does not end */
export function skipString(): bool {
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

/** Bit masks of the quotes and brackets in the 64 bytes at `at`. */
let quotes: u64 = 0;
let opens: u64 = 0;
let closes: u64 = 0;
/** Bit mask of backslashes and of zero bytes, which are behind the end of the text. */
let odds: u64 = 0;

@inline
function lookAt(part: u32): void {
  const bytes = v128.load(at + <usize>part * 16);
  // Setting bit 0x20 turns square brackets into braces, so that one comparison finds both.
  const lower = v128.or(bytes, i8x16.splat(0x20));
  const shift = <u64>part * 16;
  quotes |= <u64>i8x16.bitmask(i8x16.eq(bytes, i8x16.splat(QUOTE))) << shift;
  opens |= <u64>i8x16.bitmask(i8x16.eq(lower, i8x16.splat(OPEN_OBJECT))) << shift;
  closes |= <u64>i8x16.bitmask(i8x16.eq(lower, i8x16.splat(CLOSE_OBJECT))) << shift;
  const odd = v128.or(i8x16.eq(bytes, i8x16.splat(BACKSLASH)), i8x16.eq(bytes, i8x16.splat(0)));
  odds |= <u64>i8x16.bitmask(odd) << shift;
}

/** Returns the prefix parity: a bit is set if the number of ones up to and including its position is odd. */
@inline
function countOdd(bits: u64): u64 {
  bits ^= bits << 1;
  bits ^= bits << 2;
  bits ^= bits << 4;
  bits ^= bits << 8;
  bits ^= bits << 16;
  return bits ^ (bits << 32);
}

/** Skips a list or an object, 64 bytes per step. @returns false if a string has escapes or the value does not end */
function skipNested(): bool {
  let depth: i32 = 0;
  let inString: u64 = 0;
  while (true) {
    quotes = 0;
    opens = 0;
    closes = 0;
    odds = 0;
    lookAt(0);
    lookAt(1);
    lookAt(2);
    lookAt(3);
    const inside = countOdd(quotes) ^ inString;
    inString = <u64>(<i64>inside >> 63);
    opens &= ~inside;
    closes &= ~inside;
    if (odds == 0 && <i32>popcnt(closes) < depth) {
      depth += <i32>(popcnt(opens) - popcnt(closes));
    } else {
      // The bits after an escape, or after the end of the text, have no meaning.
      const known = (odds - 1) & ~odds;
      for (let bits = (opens | closes) & known; bits != 0; bits &= bits - 1) {
        const bit = bits & (~bits + 1);
        depth += (opens & bit) != 0 ? 1 : -1;
        if (depth == 0) {
          at += <usize>ctz(bit) + 1;
          return true;
        }
      }
      if (odds != 0) return false;
    }
    at += 64;
  }
}

/** @returns kind of the value; `BROKEN` if the value is unreadable */
function skipValue(): u32 {
  const first = load<u8>(at);
  if (first == QUOTE) return skipString() ? STRING : BROKEN;
  if (first == OPEN_LIST || first == OPEN_OBJECT) return !skipNested() ? BROKEN : first == OPEN_LIST ? LIST : OTHER;
  const start = at;
  for (let c = load<u8>(at); c != COMMA && c != CLOSE_OBJECT && c != CLOSE_LIST && c > 0x20; c = load<u8>(++at));
  if (at == start) return BROKEN;
  if (at - start == 4 && load<u32>(start) == 0x6c6c756e) return NULL;
  if (at - start == 5 && load<u32>(start) == 0x736c6166) return FALSE;
  return OTHER;
}

/** Whether the last object read has unknown members. */
export let hasOthers: bool = false;
/** Position and length of each unknown name. An object with more than 64 unknown names is not read. */
const OTHERS: usize = memory.data(64 * 8);
const MAX_OTHERS: u32 = 64;

/**
 * Reads an object, and records the positions of the values of known members.
 * @param members number of names in `NAMES` that count as known
 * @returns false if the text is unreadable, repeats a name, or has too many unknown names
 */
export function readObject(slots: usize, members: u32 = OF_ITEMS): bool {
  hasOthers = false;
  memory.fill(slots, 0, SLOT_SIZE * <usize>members);
  if (load<u8>(at) != OPEN_OBJECT) return false;
  at++;
  skipBlanks();
  if (load<u8>(at) == CLOSE_OBJECT) {
    at++;
    return true;
  }
  let position: u32 = 0;
  let others: u32 = 0;
  while (true) {
    if (load<u8>(at) != QUOTE) return false;
    const name = at + 1;
    // Objects of one list nearly always have the same members in the same order.
    const predicted = slots + PREDICTED + <usize>(position++ & 255);
    let member = <u32>load<u8>(predicted);
    let length = <usize>load<u8>(NAMES + <usize>member * NAME_SIZE);
    if (load<u8>(name + length) == QUOTE && isSame(NAMES + <usize>member * NAME_SIZE + 1, name, length)) {
      at = name + length + 1;
    } else {
      if (!skipString()) return false;
      length = at - 1 - name;
      member = findMember(name, length, members);
      if (member != NO_MEMBER) store<u8>(predicted, <u8>member);
    }
    skipBlanks();
    if (load<u8>(at) != COLON) return false;
    at++;
    skipBlanks();
    const start = at;
    const kind = skipValue();
    if (kind == BROKEN) return false;
    if (member != NO_MEMBER) {
      const slot = slots + <usize>member * SLOT_SIZE;
      if (load<u32>(slot, 8) != ABSENT) return false;
      const isText = kind == STRING;
      store<u32>(slot, <u32>(isText ? start + 1 : start));
      store<u32>(slot, <u32>(isText ? at - start - 2 : at - start), 4);
      store<u32>(slot, kind, 8);
    } else {
      hasOthers = true;
      if (others == MAX_OTHERS || isOther(name, length, others)) return false;
      store<u32>(OTHERS + <usize>others * 8, <u32>name);
      store<u32>(OTHERS + <usize>others * 8, <u32>length, 4);
      others++;
    }
    skipBlanks();
    const c = load<u8>(at++);
    if (c == CLOSE_OBJECT) return true;
    if (c != COMMA) return false;
    skipBlanks();
  }
}

/** Whether the name is among the first `others` unknown names. */
function isOther(name: usize, length: usize, others: u32): bool {
  for (let i: u32 = 0; i < others; i++) {
    const other = OTHERS + <usize>i * 8;
    if (load<u32>(other, 4) == length && isSame(load<u32>(other), name, length)) return true;
  }
  return false;
}

function findMember(name: usize, length: usize, members: u32): u32 {
  for (let member: u32 = 0; member < members; member++) if (isNamed(member, name, length)) return member;
  return NO_MEMBER;
}

@inline
function isNamed(member: u32, name: usize, length: usize): bool {
  const known = NAMES + <usize>member * NAME_SIZE;
  return load<u8>(known) == length && isSame(known + 1, name, length);
}

export function isSame(first: usize, second: usize, length: usize): bool {
  let i: usize = 0;
  for (; i + 8 <= length; i += 8) if (load<u64>(first + i) != load<u64>(second + i)) return false;
  for (; i < length; i++) if (load<u8>(first + i) != load<u8>(second + i)) return false;
  return true;
}

/** Decodes a member. @returns false unless the member has exactly `length` bytes */
export function decodeMember(slots: usize, member: u32, length: usize, target: usize): bool {
  if (kindOf(slots, member) != STRING || lengthOf(slots, member) != 2 + 2 * length) return false;
  const text = startOf(slots, member);
  return load<u16>(text) == HEX_START && decode(text + 2, length, target);
}

/**
 * Returns the value of a member of at most 64 bits; `NO_NUMBER` for any other value. 2^64 - 1 is not a valid value, because `NO_NUMBER` has this
 * value.
 */
export function numberOf(slots: usize, member: u32): u64 {
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
