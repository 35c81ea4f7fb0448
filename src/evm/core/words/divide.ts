/** DIV, MOD and their signed forms: Knuth's algorithm D with 64-bit digits, each from a reciprocal. */
import { negateWord } from './add.ts';
import { isLess } from './compare.ts';
import { mulHigh } from './multiply.ts';
import { divideByLimb, divideByPair, reciprocalOfLimb, reciprocalOfPair } from './reciprocal.ts';
import { copyWord, fitsU64, isZero, setU64 } from './word.ts';

/** Limbs of the longest dividend, a 512-bit product, and one for its normalisation. */
const DIVIDEND: usize = memory.data(9 * 8, 16);
const DIVISOR: usize = memory.data(32, 16);
const QUOTIENT: usize = memory.data(8 * 8, 16);
/** Magnitudes of signed operands: the divisor below the dividend, as on the stack. */
const MAGNITUDES: usize = memory.data(64, 16);

@inline
function countLimbs(p: usize, most: usize): usize {
  let count = most;
  while (count > 0 && load<u64>(p + ((count - 1) << 3)) == 0) count--;
  return count;
}

/** `count` limbs shifted left by 0 to 63 bits. @returns what left the topmost limb */
function shiftLimbsLeft(destination: usize, source: usize, count: usize, bits: u64): u64 {
  let below: u64 = 0;
  for (let at: usize = 0; at < count << 3; at += 8) {
    const limb = load<u64>(source + at);
    store<u64>(destination + at, (limb << bits) | below);
    below = (limb >> 1) >> (bits ^ 63);
  }
  return below;
}

/** u[0..n] -= q * d[0..n-1]. @returns whether the result is negative */
@inline
function subtractProduct(u: usize, q: u64, d: usize, n: usize): bool {
  let borrow: u64 = 0;
  let at: usize = 0;
  for (; at < n << 3; at += 8) {
    const digit = load<u64>(d + at);
    const limb = load<u64>(u + at);
    const low = q * digit;
    const first = limb - borrow;
    store<u64>(u + at, first - low);
    borrow = mulHigh(q, digit) + u64(limb < borrow) + u64(first < low);
  }
  const top = load<u64>(u + at);
  store<u64>(u + at, top - borrow);
  return top < borrow;
}

function addBack(u: usize, d: usize, n: usize): void {
  let carry: u64 = 0;
  let at: usize = 0;
  for (; at < n << 3; at += 8) {
    const first = load<u64>(u + at) + carry;
    const sum = first + load<u64>(d + at);
    carry = u64(first < carry) + u64(sum < first);
    store<u64>(u + at, sum);
  }
  store<u64>(u + at, load<u64>(u + at) + carry);
}

/** The `count` limbs at `dividend` by the `n` at `divisor`, n <= count; leaves QUOTIENT and, shifted, DIVIDEND. @returns the shift */
function divideLimbs(dividend: usize, count: usize, divisor: usize, n: usize): u64 {
  const bits = <u64>i64.clz(load<u64>(divisor + ((n - 1) << 3)));
  shiftLimbsLeft(DIVISOR, divisor, n, bits);
  const overflow = shiftLimbsLeft(DIVIDEND, dividend, count, bits);
  store<u64>(DIVIDEND + (count << 3), overflow);
  memory.fill(QUOTIENT, 0, 64);
  if (n == 1) {
    const d = load<u64>(DIVISOR);
    const v = reciprocalOfLimb(d);
    let remainder = overflow;
    for (let j = count; j > 0; j--) {
      const at = (j - 1) << 3;
      const limb = load<u64>(DIVIDEND + at);
      const q = divideByLimb(remainder, limb, d, v);
      remainder = limb - q * d;
      store<u64>(QUOTIENT + at, q);
    }
    store<u64>(DIVIDEND, remainder);
    return bits;
  }
  const d1 = load<u64>(DIVISOR + ((n - 1) << 3));
  const d0 = load<u64>(DIVISOR + ((n - 2) << 3));
  const v = reciprocalOfPair(d1, d0);
  for (let j = count - n + 1; j > 0; j--) {
    const u = DIVIDEND + ((j - 1) << 3);
    const top = u + (n << 3);
    const u2 = load<u64>(top);
    const u1 = load<u64>(top - 8);
    let q = u2 == d1 && u1 == d0 ? u64.MAX_VALUE : divideByPair(u2, u1, load<u64>(top - 16), d1, d0, v);
    if (subtractProduct(u, q, DIVISOR, n)) {
      q--;
      addBack(u, DIVISOR, n);
    }
    store<u64>(QUOTIENT + ((j - 1) << 3), q);
  }
  return bits;
}

/** destination = dividend mod divisor, of `limbs` limbs; the divisor is not zero. */
export function remainderOfLimbs(destination: usize, dividend: usize, limbs: usize, divisor: usize): void {
  const count = countLimbs(dividend, limbs);
  const n = countLimbs(divisor, 4);
  if (count < n) {
    copyWord(destination, dividend);
    return;
  }
  const bits = divideLimbs(dividend, count, divisor, n);
  let above: u64 = 0;
  for (let i = n; i < 4; i++) store<u64>(destination + (i << 3), 0);
  for (let i = n; i > 0; i--) {
    const at = (i - 1) << 3;
    const limb = load<u64>(DIVIDEND + at);
    store<u64>(destination + at, (limb >> bits) | ((above << 1) << (bits ^ 63)));
    above = limb;
  }
}

export function div(sp: usize): void {
  const below = sp - 32;
  if (fitsU64(below) && fitsU64(sp)) {
    const divisor = load<u64>(below);
    if (divisor != 0) store<u64>(below, load<u64>(sp) / divisor);
  } else if (isZero(below)) {
    return;
  } else if (isLess(sp, below)) {
    setU64(below, 0);
  } else {
    divideLimbs(sp, countLimbs(sp, 4), below, countLimbs(below, 4));
    copyWord(below, QUOTIENT);
  }
}

export function mod(sp: usize): void {
  const below = sp - 32;
  if (fitsU64(below) && fitsU64(sp)) {
    const divisor = load<u64>(below);
    if (divisor != 0) store<u64>(below, load<u64>(sp) % divisor);
  } else if (isZero(below)) {
    return;
  } else if (isLess(sp, below)) {
    copyWord(below, sp);
  } else {
    remainderOfLimbs(below, sp, 4, below);
  }
}

@inline
function isNegative(p: usize): bool {
  return load<i64>(p, 24) < 0;
}

function loadMagnitude(destination: usize, source: usize): void {
  if (isNegative(source)) negateWord(destination, source);
  else copyWord(destination, source);
}

/** -2^255 / -1 is -2^255 again: its magnitude is its own negation. */
export function sdiv(sp: usize): void {
  const below = sp - 32;
  const isResultNegative = isNegative(sp) != isNegative(below);
  if (!isNegative(sp) && !isNegative(below)) return div(sp);
  loadMagnitude(MAGNITUDES, below);
  loadMagnitude(MAGNITUDES + 32, sp);
  div(MAGNITUDES + 32);
  if (isResultNegative) negateWord(below, MAGNITUDES);
  else copyWord(below, MAGNITUDES);
}

/** The remainder has the sign of the dividend. */
export function smod(sp: usize): void {
  const below = sp - 32;
  if (!isNegative(sp) && !isNegative(below)) return mod(sp);
  loadMagnitude(MAGNITUDES, below);
  loadMagnitude(MAGNITUDES + 32, sp);
  mod(MAGNITUDES + 32);
  if (isNegative(sp)) negateWord(below, MAGNITUDES);
  else copyWord(below, MAGNITUDES);
}
