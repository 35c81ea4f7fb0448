/**
 * Products modulo one prepared divisor, in digits of 29 bits. Nine products of two digits fit 63 bits, so a column of products is a sum without
 * carries. Each product takes three machine instructions; in rows of 32-bit digits, as in multiply.ts, it takes seven. The part of a product at and
 * above bit 261 has nine digits. Each of these digits is replaced by its precomputed remainder, which leaves nine columns whose quotient by the
 * divisor has 33 bits. A reduction by two products with a reciprocal would take 20 ns longer.
 *
 * TurboFan moves additions and multiplications far away, but moves no load across a store. Each product therefore reads one factor from memory, and
 * each column ends with a store, even if nothing reads the stored value. In this way, the values of a column stay in registers.
 */
import { addWords, subWords } from './add.ts';
import { isLess } from './compare.ts';
import { DIGIT, digit, DIGIT_BITS, digitAcross, digitIn, DIGITS, setDigit, splitWord } from './digits.ts';
import { setU64 } from './word.ts';

/** Divisor of at least 2^248. With such a divisor, the topmost digits determine the quotient with an error of at most one. */
export const DIVISOR: usize = memory.data(32, 16);
const DIVISOR_DIGITS: usize = memory.data(36, 16);
/** 2^232 / DIVISOR. */
let inverse: f64 = 0;
/** Digits of 2^(261 + 29 j) modulo DIVISOR for all j, lowest digits first. */
const POWERS: usize = memory.data(324, 16);
const POWER: usize = memory.data(32, 16);
const POWER_DIGITS: usize = memory.data(36, 16);

/** The product with a factor below this number has only nine columns. */
export const SMALL: u64 = 1 << 24;
/** Digits of the factor that products read from memory. */
const FACTOR: usize = memory.data(36, 16);
const COLUMNS: usize = memory.data(72, 16);
const UNREAD: usize = memory.data(36, 16);

/** 2^52. Doubles from 2^52 on are integers, so adding 2^52 rounds, and the lower bits of the sum are the result. */
const ROUNDING: f64 = 4503599627370496.0;
const ROUNDING_BITS: u64 = 0x4330000000000000;

@inline
function column(index: usize): u64 {
  return load<u64>(COLUMNS + (index << 3));
}

@inline
function setColumn(index: usize, value: u64): void {
  store<u64>(COLUMNS + (index << 3), value);
}

/** Adds the remainders of the product's upper digits to one column. */
@inline
function fold(
  index: usize, sum: u64, u0: u64, u1: u64, u2: u64, u3: u64, u4: u64, u5: u64, u6: u64, u7: u64, u8: u64,
): u64 {
  const powers = POWERS + index * 36;
  return (
    sum + u0 * digit(powers, 0) + u1 * digit(powers, 1) + u2 * digit(powers, 2) + u3 * digit(powers, 3)
    + u4 * digit(powers, 4) + u5 * digit(powers, 5) + u6 * digit(powers, 6) + u7 * digit(powers, 7) + u8 * digit(powers, 8)
  );
}

/**
 * Computes destination = the sum of y(k) 2^(29 k) modulo DIVISOR. Columns are less than 2^62.1 and the quotient is less than 2^33, so the differences
 * fit 63 bits and a sign. The estimate of the quotient omits less than 2^5 units of the topmost column.
 */
@inline
function reduceColumns(
  destination: usize, y0: u64, y1: u64, y2: u64, y3: u64, y4: u64, y5: u64, y6: u64, y7: u64, y8: u64,
): void {
  const estimate = f64(<i64>(y8 + (y7 >> DIGIT_BITS))) * inverse;
  const quotient = reinterpret<u64>(estimate + (ROUNDING - 0.5)) - ROUNDING_BITS;
  let sum = <i64>(y0 - quotient * digit(DIVISOR_DIGITS, 0));
  const r0 = <u64>sum & DIGIT;
  sum = <i64>(y1 - quotient * digit(DIVISOR_DIGITS, 1)) + (sum >> DIGIT_BITS);
  const r1 = <u64>sum & DIGIT;
  sum = <i64>(y2 - quotient * digit(DIVISOR_DIGITS, 2)) + (sum >> DIGIT_BITS);
  const r2 = <u64>sum & DIGIT;
  sum = <i64>(y3 - quotient * digit(DIVISOR_DIGITS, 3)) + (sum >> DIGIT_BITS);
  const r3 = <u64>sum & DIGIT;
  sum = <i64>(y4 - quotient * digit(DIVISOR_DIGITS, 4)) + (sum >> DIGIT_BITS);
  const r4 = <u64>sum & DIGIT;
  sum = <i64>(y5 - quotient * digit(DIVISOR_DIGITS, 5)) + (sum >> DIGIT_BITS);
  const r5 = <u64>sum & DIGIT;
  sum = <i64>(y6 - quotient * digit(DIVISOR_DIGITS, 6)) + (sum >> DIGIT_BITS);
  const r6 = <u64>sum & DIGIT;
  sum = <i64>(y7 - quotient * digit(DIVISOR_DIGITS, 7)) + (sum >> DIGIT_BITS);
  const r7 = <u64>sum & DIGIT;
  sum = <i64>(y8 - quotient * digit(DIVISOR_DIGITS, 8)) + (sum >> DIGIT_BITS);
  store<u64>(destination, r0 | (r1 << 29) | (r2 << 58));
  store<u64>(destination, (r2 >> 6) | (r3 << 23) | (r4 << 52), 8);
  store<u64>(destination, (r4 >> 12) | (r5 << 17) | (r6 << 46), 16);
  store<u64>(destination, (r6 >> 18) | (r7 << 11) | (<u64>sum << 40), 24);
  if (<u64>sum >= digit(DIVISOR_DIGITS, 8)) correct(destination, sum);
}

/** Corrects the remainder of a quotient that is one too large or too small. `top` is the topmost digit of the remainder, which may be negative. */
function correct(remainder: usize, top: i64): void {
  if (top < 0) addWords(remainder, remainder, DIVISOR);
  else if (top > <i64>digit(DIVISOR_DIGITS, 8) || !isLess(remainder, DIVISOR)) subWords(remainder, remainder, DIVISOR);
}

/**
 * Reduces a product. `column8` is the topmost of the lower columns; COLUMNS contains the others. The quotient depends on columns 7 and 8 only, so
 * they are computed first.
 */
@inline
function reduceProduct(
  destination: usize, column8: u64, u0: u64, u1: u64, u2: u64, u3: u64, u4: u64, u5: u64, u6: u64, u7: u64, u8: u64,
): void {
  const y7 = fold(7, column(7), u0, u1, u2, u3, u4, u5, u6, u7, u8);
  setColumn(7, y7);
  const y8 = fold(8, column8, u0, u1, u2, u3, u4, u5, u6, u7, u8);
  setColumn(8, y8);
  setColumn(0, fold(0, column(0), u0, u1, u2, u3, u4, u5, u6, u7, u8));
  setColumn(1, fold(1, column(1), u0, u1, u2, u3, u4, u5, u6, u7, u8));
  setColumn(2, fold(2, column(2), u0, u1, u2, u3, u4, u5, u6, u7, u8));
  setColumn(3, fold(3, column(3), u0, u1, u2, u3, u4, u5, u6, u7, u8));
  setColumn(4, fold(4, column(4), u0, u1, u2, u3, u4, u5, u6, u7, u8));
  setColumn(5, fold(5, column(5), u0, u1, u2, u3, u4, u5, u6, u7, u8));
  setColumn(6, fold(6, column(6), u0, u1, u2, u3, u4, u5, u6, u7, u8));
  reduceColumns(
    destination, column(0), column(1), column(2), column(3), column(4), column(5), column(6), y7, y8,
  );
}

/** Computes destination = a * b modulo DIVISOR. */
export function multiplyReducing(destination: usize, a: usize, b: usize): void {
  splitWord(FACTOR, b);
  const limb0 = load<u64>(a);
  const limb1 = load<u64>(a, 8);
  const limb2 = load<u64>(a, 16);
  const limb3 = load<u64>(a, 24);
  const a0 = digitIn(limb0, 0);
  const a1 = digitIn(limb0, 29);
  const a2 = digitAcross(limb0, limb1, 58);
  const a3 = digitIn(limb1, 23);
  const a4 = digitAcross(limb1, limb2, 52);
  const a5 = digitIn(limb2, 17);
  const a6 = digitAcross(limb2, limb3, 46);
  const a7 = digitIn(limb3, 11);
  const a8 = limb3 >> 40;
  let sum =
    a0 * digit(FACTOR, 8) + a1 * digit(FACTOR, 7) + a2 * digit(FACTOR, 6) + a3 * digit(FACTOR, 5)
    + a4 * digit(FACTOR, 4) + a5 * digit(FACTOR, 3) + a6 * digit(FACTOR, 2) + a7 * digit(FACTOR, 1)
    + a8 * digit(FACTOR, 0);
  const column8 = sum & DIGIT;
  sum = (sum >> DIGIT_BITS) +
    a1 * digit(FACTOR, 8) + a2 * digit(FACTOR, 7) + a3 * digit(FACTOR, 6) + a4 * digit(FACTOR, 5)
    + a5 * digit(FACTOR, 4) + a6 * digit(FACTOR, 3) + a7 * digit(FACTOR, 2) + a8 * digit(FACTOR, 1);
  const u0 = sum & DIGIT;
  setDigit(UNREAD, 0, u0);
  setColumn(0, a0 * digit(FACTOR, 0));
  sum = (sum >> DIGIT_BITS) +
    a2 * digit(FACTOR, 8) + a3 * digit(FACTOR, 7) + a4 * digit(FACTOR, 6) + a5 * digit(FACTOR, 5)
    + a6 * digit(FACTOR, 4) + a7 * digit(FACTOR, 3) + a8 * digit(FACTOR, 2);
  const u1 = sum & DIGIT;
  setDigit(UNREAD, 1, u1);
  setColumn(1, a0 * digit(FACTOR, 1) + a1 * digit(FACTOR, 0));
  sum = (sum >> DIGIT_BITS) +
    a3 * digit(FACTOR, 8) + a4 * digit(FACTOR, 7) + a5 * digit(FACTOR, 6) + a6 * digit(FACTOR, 5)
    + a7 * digit(FACTOR, 4) + a8 * digit(FACTOR, 3);
  const u2 = sum & DIGIT;
  setDigit(UNREAD, 2, u2);
  setColumn(2, a0 * digit(FACTOR, 2) + a1 * digit(FACTOR, 1) + a2 * digit(FACTOR, 0));
  sum = (sum >> DIGIT_BITS) +
    a4 * digit(FACTOR, 8) + a5 * digit(FACTOR, 7) + a6 * digit(FACTOR, 6) + a7 * digit(FACTOR, 5)
    + a8 * digit(FACTOR, 4);
  const u3 = sum & DIGIT;
  setDigit(UNREAD, 3, u3);
  setColumn(3, a0 * digit(FACTOR, 3) + a1 * digit(FACTOR, 2) + a2 * digit(FACTOR, 1) + a3 * digit(FACTOR, 0));
  sum = (sum >> DIGIT_BITS) +
    a5 * digit(FACTOR, 8) + a6 * digit(FACTOR, 7) + a7 * digit(FACTOR, 6) + a8 * digit(FACTOR, 5);
  const u4 = sum & DIGIT;
  setDigit(UNREAD, 4, u4);
  setColumn(4,
    a0 * digit(FACTOR, 4) + a1 * digit(FACTOR, 3) + a2 * digit(FACTOR, 2) + a3 * digit(FACTOR, 1)
    + a4 * digit(FACTOR, 0));
  sum = (sum >> DIGIT_BITS) + a6 * digit(FACTOR, 8) + a7 * digit(FACTOR, 7) + a8 * digit(FACTOR, 6);
  const u5 = sum & DIGIT;
  setDigit(UNREAD, 5, u5);
  setColumn(5,
    a0 * digit(FACTOR, 5) + a1 * digit(FACTOR, 4) + a2 * digit(FACTOR, 3) + a3 * digit(FACTOR, 2)
    + a4 * digit(FACTOR, 1) + a5 * digit(FACTOR, 0));
  sum = (sum >> DIGIT_BITS) + a7 * digit(FACTOR, 8) + a8 * digit(FACTOR, 7);
  const u6 = sum & DIGIT;
  setDigit(UNREAD, 6, u6);
  setColumn(6,
    a0 * digit(FACTOR, 6) + a1 * digit(FACTOR, 5) + a2 * digit(FACTOR, 4) + a3 * digit(FACTOR, 3)
    + a4 * digit(FACTOR, 2) + a5 * digit(FACTOR, 1) + a6 * digit(FACTOR, 0));
  sum = (sum >> DIGIT_BITS) + a8 * digit(FACTOR, 8);
  const u7 = sum & DIGIT;
  setDigit(UNREAD, 7, u7);
  setColumn(7,
    a0 * digit(FACTOR, 7) + a1 * digit(FACTOR, 6) + a2 * digit(FACTOR, 5) + a3 * digit(FACTOR, 4)
    + a4 * digit(FACTOR, 3) + a5 * digit(FACTOR, 2) + a6 * digit(FACTOR, 1) + a7 * digit(FACTOR, 0));
  const u8 = sum >> DIGIT_BITS;
  reduceProduct(destination, column8, u0, u1, u2, u3, u4, u5, u6, u7, u8);
}

/** Computes destination = a * a modulo DIVISOR. Products of different digits are computed once and doubled. */
export function squareReducing(destination: usize, a: usize): void {
  const limb0 = load<u64>(a);
  const limb1 = load<u64>(a, 8);
  const limb2 = load<u64>(a, 16);
  const limb3 = load<u64>(a, 24);
  const a0 = digitIn(limb0, 0);
  const a1 = digitIn(limb0, 29);
  const a2 = digitAcross(limb0, limb1, 58);
  const a3 = digitIn(limb1, 23);
  const a4 = digitAcross(limb1, limb2, 52);
  const a5 = digitIn(limb2, 17);
  const a6 = digitAcross(limb2, limb3, 46);
  const a7 = digitIn(limb3, 11);
  const a8 = limb3 >> 40;
  setDigit(FACTOR, 1, a1);
  setDigit(FACTOR, 2, a2);
  setDigit(FACTOR, 3, a3);
  setDigit(FACTOR, 4, a4);
  setDigit(FACTOR, 5, a5);
  setDigit(FACTOR, 6, a6);
  setDigit(FACTOR, 7, a7);
  setDigit(FACTOR, 8, a8);
  let sum =
    ((a0 * digit(FACTOR, 8) + a1 * digit(FACTOR, 7) + a2 * digit(FACTOR, 6) + a3 * digit(FACTOR, 5)) << 1) + a4 * a4;
  const column8 = sum & DIGIT;
  sum = (sum >> DIGIT_BITS) +
    ((a1 * digit(FACTOR, 8) + a2 * digit(FACTOR, 7) + a3 * digit(FACTOR, 6) + a4 * digit(FACTOR, 5)) << 1);
  const u0 = sum & DIGIT;
  setDigit(UNREAD, 0, u0);
  setColumn(0, a0 * a0);
  sum = (sum >> DIGIT_BITS) +
    ((a2 * digit(FACTOR, 8) + a3 * digit(FACTOR, 7) + a4 * digit(FACTOR, 6)) << 1) + a5 * a5;
  const u1 = sum & DIGIT;
  setDigit(UNREAD, 1, u1);
  setColumn(1, ((a0 * digit(FACTOR, 1)) << 1));
  sum = (sum >> DIGIT_BITS) + ((a3 * digit(FACTOR, 8) + a4 * digit(FACTOR, 7) + a5 * digit(FACTOR, 6)) << 1);
  const u2 = sum & DIGIT;
  setDigit(UNREAD, 2, u2);
  setColumn(2, ((a0 * digit(FACTOR, 2)) << 1) + a1 * a1);
  sum = (sum >> DIGIT_BITS) + ((a4 * digit(FACTOR, 8) + a5 * digit(FACTOR, 7)) << 1) + a6 * a6;
  const u3 = sum & DIGIT;
  setDigit(UNREAD, 3, u3);
  setColumn(3, ((a0 * digit(FACTOR, 3) + a1 * digit(FACTOR, 2)) << 1));
  sum = (sum >> DIGIT_BITS) + ((a5 * digit(FACTOR, 8) + a6 * digit(FACTOR, 7)) << 1);
  const u4 = sum & DIGIT;
  setDigit(UNREAD, 4, u4);
  setColumn(4, ((a0 * digit(FACTOR, 4) + a1 * digit(FACTOR, 3)) << 1) + a2 * a2);
  sum = (sum >> DIGIT_BITS) + ((a6 * digit(FACTOR, 8)) << 1) + a7 * a7;
  const u5 = sum & DIGIT;
  setDigit(UNREAD, 5, u5);
  setColumn(5, ((a0 * digit(FACTOR, 5) + a1 * digit(FACTOR, 4) + a2 * digit(FACTOR, 3)) << 1));
  sum = (sum >> DIGIT_BITS) + ((a7 * digit(FACTOR, 8)) << 1);
  const u6 = sum & DIGIT;
  setDigit(UNREAD, 6, u6);
  setColumn(6, ((a0 * digit(FACTOR, 6) + a1 * digit(FACTOR, 5) + a2 * digit(FACTOR, 4)) << 1) + a3 * a3);
  sum = (sum >> DIGIT_BITS) + a8 * a8;
  const u7 = sum & DIGIT;
  setDigit(UNREAD, 7, u7);
  setColumn(7,
    ((a0 * digit(FACTOR, 7) + a1 * digit(FACTOR, 6) + a2 * digit(FACTOR, 5) + a3 * digit(FACTOR, 4)) << 1));
  const u8 = sum >> DIGIT_BITS;
  reduceProduct(destination, column8, u0, u1, u2, u3, u4, u5, u6, u7, u8);
}

/** Computes destination = a * factor modulo DIVISOR. The parameter `factor` must be less than SMALL, or less than 2^30 if a is less than DIVISOR. */
export function scaleReducing(destination: usize, a: usize, factor: u64): void {
  const limb0 = load<u64>(a);
  const limb1 = load<u64>(a, 8);
  const limb2 = load<u64>(a, 16);
  const limb3 = load<u64>(a, 24);
  const a0 = digitIn(limb0, 0);
  const a1 = digitIn(limb0, 29);
  const a2 = digitAcross(limb0, limb1, 58);
  const a3 = digitIn(limb1, 23);
  const a4 = digitAcross(limb1, limb2, 52);
  const a5 = digitIn(limb2, 17);
  const a6 = digitAcross(limb2, limb3, 46);
  const a7 = digitIn(limb3, 11);
  const a8 = limb3 >> 40;
  reduceColumns(
    destination, a0 * factor, a1 * factor, a2 * factor, a3 * factor, a4 * factor, a5 * factor, a6 * factor, a7 * factor, a8 * factor,
  );
}

/** Precomputes the values that depend on DIVISOR, which takes 150 ns. */
export function prepareDivisor(): void {
  splitWord(DIVISOR_DIGITS, DIVISOR);
  const lower = f64(digit(DIVISOR_DIGITS, 7)) + f64(digit(DIVISOR_DIGITS, 6)) / f64(1 << DIGIT_BITS);
  inverse = 1 / (f64(digit(DIVISOR_DIGITS, 8)) + lower / f64(1 << DIGIT_BITS));
  setU64(POWER, 0);
  store<u64>(POWER, 1 << 40, 24);
  for (let j: usize = 0; j < DIGITS; j++) {
    scaleReducing(POWER, POWER, 1 << DIGIT_BITS);
    splitWord(POWER_DIGITS, POWER);
    for (let k: usize = 0; k < DIGITS; k++) setDigit(POWERS, DIGITS * k + j, digit(POWER_DIGITS, k));
  }
}
