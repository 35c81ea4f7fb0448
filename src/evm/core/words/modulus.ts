/**
 * Products modulo a number that comes again: loops use the same one all the time. The second time in a row its 256-bit
 * reciprocal is computed, with which a reduction is two multiplications: Möller and Granlund's division of two digits
 * by one (algorithm 4), with digits of 256 bits.
 */
import { isEqual, isLess } from './compare.ts';
import { divideLimbs, QUOTIENT } from './long-division.ts';
import { mulFull } from './multiply.ts';
import { mulWide } from './multiply-wide.ts';
import { subWords } from './add.ts';
import { shlBy, shrBy } from './shift.ts';
import { copyWord } from './word.ts';

/** The last modulus that was asked for. */
const MODULUS: usize = memory.data(32, 16);
/** Shifted left so that its top bit is set. */
const DIVISOR: usize = memory.data(32, 16);
/** floor((2^512 - 1) / DIVISOR) - 2^256. */
const RECIPROCAL: usize = memory.data(32, 16);
let shift: u32 = 0;
let hasReciprocal = false;

/** Two digits, the lower first. */
const DIVIDEND: usize = memory.data(64, 16);
const PRODUCT: usize = memory.data(64, 16);

/** @returns whether `modulus`, which is not zero, came the time before; if not, it is remembered */
@inline
export function prepareModulus(modulus: usize): bool {
  if (isEqual(modulus, MODULUS)) {
    if (!hasReciprocal) computeReciprocal();
    return true;
  }
  copyWord(MODULUS, modulus);
  hasReciprocal = false;
  return false;
}

function computeReciprocal(): void {
  let at: usize = 24;
  while (load<u64>(MODULUS + at) === 0) at -= 8;
  shift = <u32>i64.clz(load<u64>(MODULUS + at)) + ((24 - <u32>at) << 3);
  shlBy(DIVISOR, MODULUS, shift);
  for (let i: usize = 0; i < 32; i += 8) {
    store<u64>(PRODUCT + i, u64.MAX_VALUE);
    store<u64>(PRODUCT + 32 + i, ~load<u64>(DIVISOR + i));
  }
  divideLimbs(PRODUCT, 8, DIVISOR, 4);
  copyWord(RECIPROCAL, QUOTIENT);
  hasReciprocal = true;
}

/** Whether a + b + carry leaves 64 bits, of which `sum` is what stayed. */
@inline
function carryOf(a: u64, sum: u64, carry: u64): u64 {
  return u64(sum < a) | (u64(sum === a) & carry);
}

/** Whether a - b - borrow is negative. */
@inline
function borrowOf(a: u64, b: u64, borrow: u64): u64 {
  return u64(a < b) | (u64(a === b) & borrow);
}

/** DIVIDEND modulo DIVISOR, than which its upper digit is less, to `remainder`. */
function reduceDividend(remainder: usize): void {
  mulWide(PRODUCT, RECIPROCAL, DIVIDEND + 32);
  const u0 = load<u64>(DIVIDEND);
  const u1 = load<u64>(DIVIDEND, 8);
  const u2 = load<u64>(DIVIDEND, 16);
  const u3 = load<u64>(DIVIDEND, 24);
  // The quotient's estimate, one too small, is the upper half of product + dividend; the lower half judges it.
  const l0 = load<u64>(PRODUCT) + u0;
  let carry = u64(l0 < u0);
  const l1 = load<u64>(PRODUCT, 8) + u1 + carry;
  carry = carryOf(u1, l1, carry);
  const l2 = load<u64>(PRODUCT, 16) + u2 + carry;
  carry = carryOf(u2, l2, carry);
  const l3 = load<u64>(PRODUCT, 24) + u3 + carry;
  carry = carryOf(u3, l3, carry);
  const h0 = load<u64>(DIVIDEND, 32);
  const h1 = load<u64>(DIVIDEND, 40);
  const h2 = load<u64>(DIVIDEND, 48);
  const q0 = load<u64>(PRODUCT, 32) + h0 + carry;
  carry = carryOf(h0, q0, carry);
  const q1 = load<u64>(PRODUCT, 40) + h1 + carry;
  carry = carryOf(h1, q1, carry);
  const q2 = load<u64>(PRODUCT, 48) + h2 + carry;
  carry = carryOf(h2, q2, carry);
  store<u64>(PRODUCT, q0);
  store<u64>(PRODUCT, q1, 8);
  store<u64>(PRODUCT, q2, 16);
  store<u64>(PRODUCT, load<u64>(PRODUCT, 56) + load<u64>(DIVIDEND, 56) + carry, 24);
  mulFull(PRODUCT, PRODUCT, DIVISOR);
  const d0 = load<u64>(DIVISOR);
  const d1 = load<u64>(DIVISOR, 8);
  const d2 = load<u64>(DIVISOR, 16);
  const d3 = load<u64>(DIVISOR, 24);
  const e0 = u0 - d0;
  let borrow = u64(u0 < d0);
  const e1 = u1 - d1 - borrow;
  borrow = borrowOf(u1, d1, borrow);
  const e2 = u2 - d2 - borrow;
  borrow = borrowOf(u2, d2, borrow);
  const e3 = u3 - d3 - borrow;
  const p0 = load<u64>(PRODUCT);
  const p1 = load<u64>(PRODUCT, 8);
  const p2 = load<u64>(PRODUCT, 16);
  let r0 = e0 - p0;
  borrow = u64(e0 < p0);
  let r1 = e1 - p1 - borrow;
  borrow = borrowOf(e1, p1, borrow);
  let r2 = e2 - p2 - borrow;
  borrow = borrowOf(e2, p2, borrow);
  let r3 = e3 - load<u64>(PRODUCT, 24) - borrow;
  // Added back where the remainder is above the lower half, which is as likely as not: without a branch.
  borrow = u64(l0 < r0);
  borrow = borrowOf(l1, r1, borrow);
  borrow = borrowOf(l2, r2, borrow);
  const mask = -borrowOf(l3, r3, borrow);
  const b1 = d1 & mask;
  const b2 = d2 & mask;
  r0 += d0 & mask;
  carry = u64(r0 < (d0 & mask));
  r1 += b1 + carry;
  carry = carryOf(b1, r1, carry);
  r2 += b2 + carry;
  carry = carryOf(b2, r2, carry);
  r3 += (d3 & mask) + carry;
  store<u64>(remainder, r0);
  store<u64>(remainder, r1, 8);
  store<u64>(remainder, r2, 16);
  store<u64>(remainder, r3, 24);
  if (r3 >= d3 && !isLess(remainder, DIVISOR)) subWords(remainder, remainder, DIVISOR);
}

/** `word` modulo the prepared modulus, shifted left as DIVISOR is, to `destination`. */
function loadShifted(destination: usize, word: usize): void {
  if (isLess(word, MODULUS)) return shlBy(destination, word, shift);
  if (shift === 0) return subWords(destination, word, MODULUS);
  shlBy(DIVIDEND, word, shift);
  shrBy(DIVIDEND + 32, word, 256 - shift);
  reduceDividend(destination);
}

/** destination = a * b modulo the modulus that was prepared. One factor is less than DIVISOR: so is the upper digit. */
export function multiplyPrepared(destination: usize, a: usize, b: usize): void {
  const isFirstLess = isLess(a, MODULUS);
  loadShifted(DIVIDEND, isFirstLess ? a : b);
  mulWide(DIVIDEND, DIVIDEND, isFirstLess ? b : a);
  reduceDividend(DIVIDEND);
  shrBy(destination, DIVIDEND, shift);
}
