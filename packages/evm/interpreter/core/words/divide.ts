/** DIV and MOD: Knuth's algorithm D with 64-bit digits computed from a reciprocal; short divisors have separate code. */
import { isLess } from './compare.ts';
import { divideLimbs, QUOTIENT, remainderOfLimbs } from './long-division.ts';
import { mulHigh } from './multiply.ts';
import { divideByLimb, findReciprocalOfLimb, findReciprocalOfPair } from './reciprocal.ts';
import { shrBy } from './shift.ts';
import { copyWord, fitsU64, isZero, setU64 } from './word.ts';

@inline
function limbAt(p: usize, index: usize): u64 {
  return load<u64>(p + (index << 3));
}

/** Returns limb `index`, which is not 0, of a word shifted left by `bits`, 0 to 63. */
@inline
function shiftedLimbAt(p: usize, index: usize, bits: u64): u64 {
  return (limbAt(p, index) << bits) | ((limbAt(p, index - 1) >> 1) >> (bits ^ 63));
}

/** Returns the index of the highest nonzero limb of a word of more than 64 bits. */
@inline
function findTopLimb(p: usize): usize {
  if (load<u64>(p, 24) !== 0) return 3;
  return load<u64>(p, 16) !== 0 ? 2 : 1;
}

/** Divides a dividend of at least two limbs by a divisor of one limb. */
function divideWordByLimb(dividend: usize, divisor: u64, quotient: usize, remainder: usize): void {
  const bits = <u64>i64.clz(divisor);
  const d = divisor << bits;
  const v = findReciprocalOfLimb(d);
  const top = findTopLimb(dividend);
  let r = (limbAt(dividend, top) >> 1) >> (bits ^ 63);
  let q1: u64 = 0;
  let q2: u64 = 0;
  let q3: u64 = 0;
  if (top > 2) {
    const u = shiftedLimbAt(dividend, 3, bits);
    q3 = divideByLimb(r, u, d, v);
    r = u - q3 * d;
  }
  if (top > 1) {
    const u = shiftedLimbAt(dividend, 2, bits);
    q2 = divideByLimb(r, u, d, v);
    r = u - q2 * d;
  }
  let u = shiftedLimbAt(dividend, 1, bits);
  q1 = divideByLimb(r, u, d, v);
  r = u - q1 * d;
  u = load<u64>(dividend) << bits;
  const q0 = divideByLimb(r, u, d, v);
  r = u - q0 * d;
  store<u64>(quotient, q0);
  store<u64>(quotient, q1, 8);
  store<u64>(quotient, q2, 16);
  store<u64>(quotient, q3, 24);
  setU64(remainder, r >> bits);
}

/** Divides a dividend of at least two limbs by a divisor of two limbs. The method is Möller and Granlund's algorithm 5, including the remainder. */
function divideWordByPair(dividend: usize, divisor: usize, quotient: usize, remainder: usize): void {
  const bits = <u64>i64.clz(load<u64>(divisor, 8));
  const d1 = shiftedLimbAt(divisor, 1, bits);
  const d0 = load<u64>(divisor) << bits;
  const v = findReciprocalOfPair(d1, d0);
  let top = findTopLimb(dividend);
  let r1 = (limbAt(dividend, top) >> 1) >> (bits ^ 63);
  let r0 = shiftedLimbAt(dividend, top, bits);
  setU64(quotient, 0);
  while (top > 0) {
    top--;
    const u0 = top === 0 ? load<u64>(dividend) << bits : shiftedLimbAt(dividend, top, bits);
    const low = v * r1;
    const q0 = low + r0;
    let q = mulHigh(v, r1) + r1 + u64(q0 < low);
    const t0 = d0 * q;
    const x0 = u0 - t0;
    r1 = r0 - q * d1 - mulHigh(d0, q) - u64(u0 < t0) - d1 - u64(x0 < d0);
    r0 = x0 - d0;
    q++;
    const mask = -u64(r1 >= q0);
    const back = mask & d0;
    q += mask;
    r0 += back;
    r1 += (mask & d1) + u64(r0 < back);
    if (r1 > d1 || (r1 === d1 && r0 >= d0)) {
      q++;
      r1 -= d1 + u64(r0 < d0);
      r0 -= d0;
    }
    store<u64>(quotient + (top << 3), q);
  }
  store<u64>(remainder, (r0 >> bits) | ((r1 << 1) << (bits ^ 63)));
  store<u64>(remainder, r1 >> bits, 8);
  store<u64>(remainder, 0, 16);
  store<u64>(remainder, 0, 24);
}

/** Buffer for the unneeded result: the remainder of DIV, or the quotient of MOD. */
const UNUSED: usize = memory.data(32, 16);

/** @param limb nonzero */
@inline
function isPowerOfTwo(limb: u64): bool {
  return (limb & (limb - 1)) === 0;
}

/**
 * Divides by a power of two whose lowest limb is zero. Contracts divide by such numbers to shift words right.
 * @returns false when the divisor is not a power of two
 */
function divideByPowerOfTwo(below: usize, dividend: usize, d1: u64, d2: u64, d3: u64): bool {
  if (i64.popcnt(d1) + i64.popcnt(d2) + i64.popcnt(d3) !== 1) return false;
  const bits = d1 !== 0 ? 64 + i64.ctz(d1) : d2 !== 0 ? 128 + i64.ctz(d2) : 192 + i64.ctz(d3);
  shrBy(below, dividend, <u32>bits);
  return true;
}

export function div(sp: usize): void {
  const below = sp - 32;
  const d0 = load<u64>(below);
  const d1 = load<u64>(below, 8);
  const dUpper = load<u64>(below, 16) | load<u64>(below, 24);
  if ((d1 | dUpper) === 0) {
    if (fitsU64(sp)) {
      if (d0 !== 0) store<u64>(below, load<u64>(sp) / d0);
    } else if (d0 !== 0) {
      if (isPowerOfTwo(d0)) shrBy(below, sp, <u32>i64.ctz(d0));
      else divideWordByLimb(sp, d0, below, UNUSED);
    }
  } else if (isLess(sp, below)) {
    setU64(below, 0);
  } else if (d0 === 0 && divideByPowerOfTwo(below, sp, d1, load<u64>(below, 16), load<u64>(below, 24))) {
    return;
  } else if (dUpper === 0) {
    divideWordByPair(sp, below, below, UNUSED);
  } else {
    divideLimbs(sp, 4, below, load<u64>(below, 24) !== 0 ? 4 : 3);
    copyWord(below, QUOTIENT);
  }
}

export function mod(sp: usize): void {
  const below = sp - 32;
  const d0 = load<u64>(below);
  const d1 = load<u64>(below, 8);
  const dUpper = load<u64>(below, 16) | load<u64>(below, 24);
  if ((d1 | dUpper) === 0) {
    if (fitsU64(sp)) {
      if (d0 !== 0) store<u64>(below, load<u64>(sp) % d0);
    } else if (d0 !== 0) {
      divideWordByLimb(sp, d0, UNUSED, below);
    }
  } else if (isLess(sp, below)) {
    copyWord(below, sp);
  } else if (dUpper === 0) {
    divideWordByPair(sp, below, UNUSED, below);
  } else {
    remainderOfLimbs(below, sp, 4, below);
  }
}
