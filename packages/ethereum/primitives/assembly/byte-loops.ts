/**
 * Loops over every byte of texts and byte strings, 16 bytes per step. Texts have one byte per character. The loops read and write up to 31 bytes past
 * the end of a text or byte string.
 */

const DIGIT_0: u8 = 0x30;
const LETTER_A: u8 = 0x61;
/** Bit that maps hex letters to lower case; decimal digits already have it. */
const LOWER_CASE: u8 = 0x20;

/** Returns 0xff in each lane with a decimal digit. */
@inline
function findDecimals(text: v128): v128 {
  return i8x16.lt_u(i8x16.sub(text, i8x16.splat(DIGIT_0)), i8x16.splat(10));
}

/** Returns 0xff in each lane with a letter a to f. */
@inline
function findLetters(text: v128): v128 {
  return i8x16.lt_u(i8x16.sub(text, i8x16.splat(LETTER_A)), i8x16.splat(6));
}

/** Pads the text with zero digits, so that the check of 16-byte blocks accepts a partial last block. */
@inline
function padWithDigits(end: usize): void {
  v128.store(end, i8x16.splat(DIGIT_0));
  v128.store(end, i8x16.splat(DIGIT_0), 16);
}

/** Whether all characters are hex digits in lower case. */
export function isLowerHex(text: usize, length: u32): bool {
  padWithDigits(text + length);
  let areDigits = i8x16.splat(-1);
  for (let at: u32 = 0; at < length; at += 16) {
    const characters = v128.load(text + at);
    areDigits = v128.and(areDigits, v128.or(findDecimals(characters), findLetters(characters)));
  }
  return i8x16.all_true(areDigits);
}

/**
 * Joins the two digit values of each 16-bit lane into one byte. In each 16-bit lane, the lower byte contains the first digit, and receives the
 * result.
 */
@inline
function joinPairs(values: v128): v128 {
  return v128.and(v128.or(i16x8.shl(values, 4), i16x8.shr_u(values, 8)), i16x8.splat(0xff));
}

/** Decodes hex digits into bytes. @returns false if a character is not a hex digit */
export function decodeHex(text: usize, length: u32, bytes: usize): bool {
  padWithDigits(text + length);
  let areDigits = i8x16.splat(-1);
  let joined = i8x16.splat(0);
  for (let at: u32 = 0; at < length; at += 32) {
    for (let half: u32 = 0; half < 2; half++) {
      const characters = v128.load(text + at + 16 * half);
      const lower = v128.or(characters, i8x16.splat(LOWER_CASE));
      const decimals = findDecimals(characters);
      areDigits = v128.and(areDigits, v128.or(decimals, findLetters(lower)));
      const letters = i8x16.sub(lower, i8x16.splat(LETTER_A - 10));
      const pairs = joinPairs(v128.bitselect(i8x16.sub(characters, i8x16.splat(DIGIT_0)), letters, decimals));
      joined = half == 0 ? pairs : i8x16.narrow_i16x8_u(joined, pairs);
    }
    v128.store(bytes + (at >> 1), joined);
  }
  return i8x16.all_true(areDigits);
}

/** Encodes each byte as two lower-case hex digits. */
export function encodeHex(bytes: usize, length: u32, text: usize): void {
  const digits = i8x16(48, 49, 50, 51, 52, 53, 54, 55, 56, 57, 97, 98, 99, 100, 101, 102);
  for (let at: u32 = 0; at < length; at += 16) {
    const values = v128.load(bytes + at);
    const high = i8x16.swizzle(digits, i8x16.shr_u(values, 4));
    const low = i8x16.swizzle(digits, v128.and(values, i8x16.splat(15)));
    const first = i8x16.shuffle(high, low, 0, 16, 1, 17, 2, 18, 3, 19, 4, 20, 5, 21, 6, 22, 7, 23);
    const second = i8x16.shuffle(high, low, 8, 24, 9, 25, 10, 26, 11, 27, 12, 28, 13, 29, 14, 30, 15, 31);
    v128.store(text + 2 * at, first);
    v128.store(text + 2 * at, second, 16);
  }
}

/** Counts zero bytes. */
export function countZeros(bytes: usize, length: u32): u32 {
  // The bytes past the end are set to one, so that they are not counted.
  v128.store(bytes + length, i8x16.splat(1));
  let count: u32 = 0;
  for (let at: u32 = 0; at < length; at += 16) {
    count += popcnt<u32>(i8x16.bitmask(i8x16.eq(v128.load(bytes + at), i8x16.splat(0))));
  }
  return count;
}
