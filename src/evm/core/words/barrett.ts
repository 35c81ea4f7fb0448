/**
 * Barrett's reduction of a 512-bit number by a 256-bit divisor whose reciprocal is known: the quotient's digits from a
 * product of which only the columns that matter are computed. Digits of 32 bits, rows as in multiply.ts.
 */
import { subWords } from './add.ts';
import { mulFull } from './multiply.ts';
import { shrBy } from './shift.ts';
import { copyWord } from './word.ts';

/** The number, eight limbs, and what it is divided by, whose top bit is set. The upper half is less than the divisor. */
export const DIVIDEND: usize = memory.data(64, 16);
export const DIVISOR: usize = memory.data(32, 16);
/** floor((2^576 - 1) / DIVISOR) - 2^320, five limbs, of which the lowest 32 bits are not used. */
export const RECIPROCAL: usize = memory.data(40, 16);

/** Where the quotient's fraction reaches this many 2^-32 it may be one too small. */
const DOUBTFUL: u64 = 0xfffffff0;

const QUOTIENT: usize = memory.data(32, 16);

@inline
function low(t: u64): u64 {
  return t & 0xffffffff;
}

@inline
function high(t: u64): u64 {
  return t >> 32;
}

/**
 * The quotient, which may be one too small, to QUOTIENT. Column c of the product counts 2^(32 c - 544). The columns
 * below the 15th, the reciprocal's and the dividend's digits that are left out are worth less than 12 times 2^-32.
 * @returns the first 32 bits of its fraction
 */
@inline
function estimateQuotient(): u64 {
  const x7 = <u64>load<u32>(DIVIDEND, 28);
  const x8 = <u64>load<u32>(DIVIDEND, 32);
  const x9 = <u64>load<u32>(DIVIDEND, 36);
  const x10 = <u64>load<u32>(DIVIDEND, 40);
  const x11 = <u64>load<u32>(DIVIDEND, 44);
  const x12 = <u64>load<u32>(DIVIDEND, 48);
  const x13 = <u64>load<u32>(DIVIDEND, 52);
  const x14 = <u64>load<u32>(DIVIDEND, 56);
  const x15 = <u64>load<u32>(DIVIDEND, 60);
  const v0 = <u64>load<u32>(RECIPROCAL, 4);
  const v1 = <u64>load<u32>(RECIPROCAL, 8);
  const v2 = <u64>load<u32>(RECIPROCAL, 12);
  const v3 = <u64>load<u32>(RECIPROCAL, 16);
  const v4 = <u64>load<u32>(RECIPROCAL, 20);
  const v5 = <u64>load<u32>(RECIPROCAL, 24);
  const v6 = <u64>load<u32>(RECIPROCAL, 28);
  const v7 = <u64>load<u32>(RECIPROCAL, 32);
  const v8 = <u64>load<u32>(RECIPROCAL, 36);
  let t: u64;
  t = v0 * x15;
  let c15 = low(t);
  let c16 = high(t);
  t = v1 * x14 + c15;
  c15 = low(t);
  t = v1 * x15 + c16 + high(t);
  c16 = low(t);
  let c17 = high(t);
  t = v2 * x13 + c15;
  c15 = low(t);
  t = v2 * x14 + c16 + high(t);
  c16 = low(t);
  t = v2 * x15 + c17 + high(t);
  c17 = low(t);
  let c18 = high(t);
  t = v3 * x12 + c15;
  c15 = low(t);
  t = v3 * x13 + c16 + high(t);
  c16 = low(t);
  t = v3 * x14 + c17 + high(t);
  c17 = low(t);
  t = v3 * x15 + c18 + high(t);
  c18 = low(t);
  let c19 = high(t);
  t = v4 * x11 + c15;
  c15 = low(t);
  t = v4 * x12 + c16 + high(t);
  c16 = low(t);
  t = v4 * x13 + c17 + high(t);
  c17 = low(t);
  t = v4 * x14 + c18 + high(t);
  c18 = low(t);
  t = v4 * x15 + c19 + high(t);
  c19 = low(t);
  let c20 = high(t);
  t = v5 * x10 + c15;
  c15 = low(t);
  t = v5 * x11 + c16 + high(t);
  c16 = low(t);
  t = v5 * x12 + c17 + high(t);
  c17 = low(t);
  t = v5 * x13 + c18 + high(t);
  c18 = low(t);
  t = v5 * x14 + c19 + high(t);
  c19 = low(t);
  t = v5 * x15 + c20 + high(t);
  c20 = low(t);
  let c21 = high(t);
  t = v6 * x9 + c15;
  c15 = low(t);
  t = v6 * x10 + c16 + high(t);
  c16 = low(t);
  t = v6 * x11 + c17 + high(t);
  c17 = low(t);
  t = v6 * x12 + c18 + high(t);
  c18 = low(t);
  t = v6 * x13 + c19 + high(t);
  c19 = low(t);
  t = v6 * x14 + c20 + high(t);
  c20 = low(t);
  t = v6 * x15 + c21 + high(t);
  c21 = low(t);
  let c22 = high(t);
  t = v7 * x8 + c15;
  c15 = low(t);
  t = v7 * x9 + c16 + high(t);
  c16 = low(t);
  t = v7 * x10 + c17 + high(t);
  c17 = low(t);
  t = v7 * x11 + c18 + high(t);
  c18 = low(t);
  t = v7 * x12 + c19 + high(t);
  c19 = low(t);
  t = v7 * x13 + c20 + high(t);
  c20 = low(t);
  t = v7 * x14 + c21 + high(t);
  c21 = low(t);
  t = v7 * x15 + c22 + high(t);
  c22 = low(t);
  let c23 = high(t);
  t = v8 * x7 + c15;
  c15 = low(t);
  t = v8 * x8 + c16 + high(t);
  c16 = low(t);
  t = v8 * x9 + c17 + high(t);
  c17 = low(t);
  t = v8 * x10 + c18 + high(t);
  c18 = low(t);
  t = v8 * x11 + c19 + high(t);
  c19 = low(t);
  t = v8 * x12 + c20 + high(t);
  c20 = low(t);
  t = v8 * x13 + c21 + high(t);
  c21 = low(t);
  t = v8 * x14 + c22 + high(t);
  c22 = low(t);
  t = v8 * x15 + c23 + high(t);
  c23 = low(t);
  let c24 = high(t);
  // The reciprocal's leading one.
  t = c16 + x7;
  const fraction = low(t);
  t = c17 + x8 + high(t);
  const q0 = low(t);
  t = c18 + x9 + high(t);
  const q1 = low(t);
  t = c19 + x10 + high(t);
  const q2 = low(t);
  t = c20 + x11 + high(t);
  const q3 = low(t);
  t = c21 + x12 + high(t);
  const q4 = low(t);
  t = c22 + x13 + high(t);
  const q5 = low(t);
  t = c23 + x14 + high(t);
  const q6 = low(t);
  const q7 = c24 + x15 + high(t);
  store<u64>(QUOTIENT, q0 | (q1 << 32), 0);
  store<u64>(QUOTIENT, q2 | (q3 << 32), 8);
  store<u64>(QUOTIENT, q4 | (q5 << 32), 16);
  store<u64>(QUOTIENT, q6 | (q7 << 32), 24);
  return fraction;
}

/** Whether a - b - borrow is negative. */
@inline
function borrowOf(a: u64, b: u64, borrow: u64): u64 {
  return u64(a < b) | (u64(a === b) & borrow);
}

/** DIVIDEND modulo DIVISOR, shifted right by `shift`, to `destination`. */
export function reduceDividend(destination: usize, shift: u32): void {
  const fraction = estimateQuotient();
  mulFull(QUOTIENT, QUOTIENT, DIVISOR);
  const u0 = load<u64>(DIVIDEND);
  const u1 = load<u64>(DIVIDEND, 8);
  const u2 = load<u64>(DIVIDEND, 16);
  const p0 = load<u64>(QUOTIENT);
  const p1 = load<u64>(QUOTIENT, 8);
  const p2 = load<u64>(QUOTIENT, 16);
  const r0 = u0 - p0;
  let borrow = u64(u0 < p0);
  const r1 = u1 - p1 - borrow;
  borrow = borrowOf(u1, p1, borrow);
  const r2 = u2 - p2 - borrow;
  borrow = borrowOf(u2, p2, borrow);
  const r3 = load<u64>(DIVIDEND, 24) - load<u64>(QUOTIENT, 24) - borrow;
  store<u64>(destination, r0);
  store<u64>(destination, r1, 8);
  store<u64>(destination, r2, 16);
  store<u64>(destination, r3, 24);
  if (fraction >= DOUBTFUL) subtractIfNotLess(destination);
  if (shift !== 0) shrBy(destination, destination, shift);
}

/** For a remainder next to the divisor, of which only 256 bits are known: the difference is small, on either side. */
function subtractIfNotLess(remainder: usize): void {
  subWords(QUOTIENT, remainder, DIVISOR);
  if (load<i64>(QUOTIENT, 24) >= 0) copyWord(remainder, QUOTIENT);
}
