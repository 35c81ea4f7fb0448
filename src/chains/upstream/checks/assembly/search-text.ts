/**
 * Searches JSON text of receipts, or of a block, for block and transaction hashes. Every search term contains a letter that is no hex digit. The
 * search examines only these letters of the terms individually, and skips other text 16 bytes at a time. If the text around a letter is incomplete,
 * the search stops there, and resumes when more text has arrived.
 */

/** Hex digits of up to 64 transaction hashes, in order, and of the block hash. The JavaScript code that calls `search` writes these digits before. */
export const HASHES: usize = memory.data(64 * 64);
export const BLOCK_HASH: usize = memory.data(64);
/** Number of bytes before `start` that a search may read. */
export const BEFORE: u32 = 11;

const DIGITS: u32 = 64;
const QUOTE: u8 = 0x22;
const COLON: u8 = 0x3a;
/** The three bytes `"0x` as a little-endian number. */
const BEGIN_HASH: u32 = 0x783022;
const DIGIT_0: u8 = 0x30;
const LETTER_A: u8 = 0x61;
const LETTER_X: u8 = 0x78;
/** Bit that distinguishes lower-case letters from upper-case letters. */
const LOWER_CASE: u8 = 0x20;

/** Member names with their quotes. For each name: its length, the letter by which it is found, and the index of this letter in the name. */
const ONCE_A_RECEIPT: usize = memory.data<u8>([
  0x22, 0x63, 0x75, 0x6d, 0x75, 0x6c, 0x61, 0x74, 0x69, 0x76, 0x65, 0x47, 0x61, 0x73, 0x55, 0x73, 0x65, 0x64, 0x22,
]);
const ONCE_LENGTH: u32 = 19;
const ONCE_LETTER: u8 = 0x47;
const ONCE_OFFSET: u32 = 11;
const PLACE: usize = memory.data<u8>([0x22, 0x62, 0x6c, 0x6f, 0x63, 0x6b, 0x48, 0x61, 0x73, 0x68, 0x22]);
const PLACE_LENGTH: u32 = 11;
const PLACE_LETTER: u8 = 0x6b;
const PLACE_OFFSET: u32 = 5;
const OWN: usize = memory.data<u8>([0x22, 0x68, 0x61, 0x73, 0x68, 0x22]);
const OWN_LENGTH: u32 = 6;
const OWN_LETTER: u8 = 0x73;
const OWN_OFFSET: u32 = 3;

/** States of the search: anywhere, after the member name of a hash, or after the colon that follows the name. */
const ANYWHERE: u32 = 0;
const BEHIND_NAME: u32 = 1;
const BEHIND_COLON: u32 = 2;

/** Results of comparing the text with a search term. `OPEN`: the text ends before the compared term does. */
const OTHER: i32 = 0;
const SAME: i32 = 1;
const OPEN: i32 = 2;

export let state: u32 = ANYWHERE;
/** Number of transaction hashes found, in their order. */
export let found: u32 = 0;
/** Number of receipts found. Each receipt contains the name `"cumulativeGasUsed"` once. */
export let receipts: u32 = 0;
/** True if the block's hash was found after its member name. `hasOther`: true if a different block hash was found after the member name. */
export let hasOwn: bool = false;
export let hasOther: bool = false;

/** Begins a search. @param before value of `state` when the previous search of this text stopped */
export function begin(before: u32): void {
  state = before;
  found = 0;
  receipts = 0;
  hasOwn = false;
  hasOther = false;
}

@inline
function compare(at: usize, end: usize, text: usize, length: u32): i32 {
  for (let i: u32 = 0; i < length; i++) {
    if (at + i == end) return OPEN;
    if (load<u8>(at + i) != load<u8>(text + i)) return OTHER;
  }
  return SAME;
}

@inline
function areSameDigits(at: usize, digits: usize): bool {
  const low = v128.and(
    i8x16.eq(v128.load(at), v128.load(digits)),
    i8x16.eq(v128.load(at, 16), v128.load(digits, 16)),
  );
  const high = v128.and(
    i8x16.eq(v128.load(at, 32), v128.load(digits, 32)),
    i8x16.eq(v128.load(at, 48), v128.load(digits, 48)),
  );
  return i8x16.all_true(v128.and(low, high));
}

@inline
function isBlank(c: u8): bool {
  return c == 0x20 || c == 0x0a || c == 0x0d || c == 0x09;
}

@inline
function isHex(c: u8): bool {
  return <u8>(c - DIGIT_0) < 10 || <u8>((c | LOWER_CASE) - LETTER_A) < 6;
}

/**
 * Compares the text with the next transaction hash, from the `x` of `0x` on. The byte after the hash must be present, because the search resumes
 * there.
 */
@inline
function compareHash(at: usize, end: usize): i32 {
  const digits = HASHES + found * DIGITS;
  const first = at + 1;
  if (load<u8>(at - 1) != DIGIT_0) return OTHER;
  if (first + DIGITS >= end) return compare(first, end, digits, DIGITS) == OTHER ? OTHER : OPEN;
  if (load<u32>(first) != load<u32>(digits)) return OTHER;
  return areSameDigits(first, digits) ? SAME : OTHER;
}

/** Compares the text with the name `"hash"` in upper or lower case. */
@inline
function compareOwnName(at: usize, end: usize): i32 {
  for (let i: u32 = 0; i < OWN_LENGTH; i++) {
    if (at + i == end) return OPEN;
    const c = load<u8>(at + i);
    if ((i == 0 || i == OWN_LENGTH - 1 ? c : c | LOWER_CASE) != load<u8>(OWN + i)) return OTHER;
  }
  return SAME;
}

/**
 * Records the block hash at `at`. A block hash is a JSON string that begins with a quote; its digits may be upper-case or lower-case.
 * @returns OTHER if the string is not a hash
 */
function noteHash(at: usize, end: usize, x: u8): i32 {
  if (at + DIGITS + 4 <= end && (load<u32>(at) & 0xffffff) == BEGIN_HASH && areSameDigits(at + 3, BLOCK_HASH)) {
    if (load<u8>(at + 3 + DIGITS) != QUOTE) return OTHER;
    hasOwn = true;
    return SAME;
  }
  let isOwn = true;
  for (let i: u32 = 0; i < DIGITS + 4; i++) {
    if (at + i == end) return OPEN;
    const c = load<u8>(at + i);
    if (i > 2 && i < DIGITS + 3) {
      if (!isHex(c)) return OTHER;
      if ((c | LOWER_CASE) != load<u8>(BLOCK_HASH + i - 3)) isOwn = false;
    } else if (c != (i == 1 ? DIGIT_0 : i == 2 ? LETTER_X : QUOTE) && (i != 2 || c != x)) return OTHER;
  }
  if (isOwn) hasOwn = true;
  else hasOther = true;
  return SAME;
}

/**
 * Continues after the member name of a hash, and skips white space between name and hash.
 * @param x letter that is accepted instead of the `x` of `0x`, for upper-case text
 */
function readHash(start: usize, end: usize, x: u8): usize {
  let at = start;
  while (at < end) {
    const c = load<u8>(at);
    if (isBlank(c)) at++;
    else if (state == BEHIND_NAME && c == COLON) {
      state = BEHIND_COLON;
      at++;
    } else {
      if (state == BEHIND_NAME || noteHash(at, end, x) != OPEN) state = ANYWHERE;
      break;
    }
  }
  return at;
}

/** Returns the position of the next of three letters, or the end. */
@inline
function skip(start: usize, end: usize, a: u8, b: u8, c: u8): usize {
  let at = start;
  while (at + 16 <= end) {
    const bytes = v128.load(at);
    const letters = i8x16.bitmask(
      v128.or(
        i8x16.eq(bytes, i8x16.splat(a)),
        v128.or(i8x16.eq(bytes, i8x16.splat(b)), i8x16.eq(bytes, i8x16.splat(c))),
      ),
    );
    if (letters != 0) return at + ctz<u32>(letters);
    at += 16;
  }
  while (at < end && load<u8>(at) != a && load<u8>(at) != b && load<u8>(at) != c) at++;
  return at;
}

/**
 * Searches the text of receipts or, if `isBlock`, of a block. In the text of a block, member names and the `x` of `0x` may be upper-case.
 * @param wanted number of transaction hashes in `HASHES`; the search stops after the last of them
 * @returns the position at which the search stopped
 */
export function search(start: usize, end: usize, wanted: u32, isBlock: bool): usize {
  const second = isBlock ? OWN_LETTER : ONCE_LETTER;
  const third = isBlock ? OWN_LETTER & ~LOWER_CASE : PLACE_LETTER;
  const x = isBlock ? LETTER_X & ~LOWER_CASE : LETTER_X;
  let at = start;
  while (at < end) {
    if (state != ANYWHERE) {
      at = readHash(at, end, x);
      if (state != ANYWHERE) break;
    }
    at = skip(at, end, LETTER_X, second, third);
    if (at >= end) break;
    const letter = load<u8>(at);
    let said = OTHER;
    if (letter == LETTER_X) {
      if (found < wanted) said = compareHash(at, end);
      if (said == SAME) {
        found++;
        at += DIGITS + 1;
        if (found == wanted) return at + 1;
      }
    } else if (letter == ONCE_LETTER) {
      said = compare(at - ONCE_OFFSET, end, ONCE_A_RECEIPT, ONCE_LENGTH);
      if (said == SAME) receipts++;
    } else {
      said = isBlock ? compareOwnName(at - OWN_OFFSET, end) : compare(at - PLACE_OFFSET, end, PLACE, PLACE_LENGTH);
      if (said == SAME) {
        state = BEHIND_NAME;
        at += isBlock ? OWN_LENGTH - OWN_OFFSET - 1 : PLACE_LENGTH - PLACE_OFFSET - 1;
      }
    }
    if (said == OPEN) break;
    at++;
  }
  return at;
}
