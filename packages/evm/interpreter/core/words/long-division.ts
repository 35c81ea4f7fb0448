/** Division of any number of limbs by 2 to 4 limbs: Knuth's algorithm D with 64-bit digits computed from a reciprocal. */
import { mulHigh } from './multiply.ts';
import { divideByLimb, divideByPair, findReciprocalOfLimb, findReciprocalOfPair } from './reciprocal.ts';
import { copyWord } from './word.ts';

/** Buffer for the longest dividend, a 512-bit product, and its normalisation. */
const DIVIDEND: usize = memory.data(10 * 8, 16);
const DIVISOR: usize = memory.data(32, 16);
/** Quotient of divideLimbs: as many limbs as the dividend has, up to 8. */
export const QUOTIENT: usize = memory.data(9 * 8, 16);

@inline
function countLimbs(p: usize, most: usize): usize {
  let count = most;
  while (count > 0 && load<u64>(p + ((count - 1) << 3)) === 0) count--;
  return count;
}

/** Shifts `count` limbs left by 0 to 63 bits. @returns the bits shifted out of the topmost limb */
@inline
function shiftLimbsLeft(destination: usize, source: usize, count: usize, bits: u64): u64 {
  let below: u64 = 0;
  for (let at: usize = 0; at < count << 3; at += 8) {
    const limb = load<u64>(source + at);
    store<u64>(destination + at, (limb << bits) | below);
    below = (limb >> 1) >> (bits ^ 63);
  }
  return below;
}

/** Computes u[0..n] -= q * d[0..n-1]. @returns whether the result is negative */
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

/**
 * Divides `count` limbs by `n` limbs, whose top limb is nonzero. Writes the quotient to QUOTIENT, and the remainder, shifted left, to DIVIDEND.
 * @returns the number of bits by which divisor and remainder are shifted left
 */
export function divideLimbs(dividend: usize, count: usize, divisor: usize, n: usize): u64 {
  const bits = <u64>i64.clz(load<u64>(divisor + ((n - 1) << 3)));
  shiftLimbsLeft(DIVISOR, divisor, n, bits);
  const overflow = shiftLimbsLeft(DIVIDEND, dividend, count, bits);
  store<u64>(DIVIDEND + (count << 3), overflow);
  for (let j = count - n + 1; j < count; j++) store<u64>(QUOTIENT + (j << 3), 0);
  const d1 = load<u64>(DIVISOR + ((n - 1) << 3));
  const d0 = load<u64>(DIVISOR + ((n - 2) << 3));
  const v = findReciprocalOfPair(d1, d0);
  for (let j = count - n + 1; j > 0; j--) {
    const u = DIVIDEND + ((j - 1) << 3);
    const top = u + (n << 3);
    const u2 = load<u64>(top);
    const u1 = load<u64>(top - 8);
    let q = u2 === d1 && u1 === d0 ? u64.MAX_VALUE : divideByPair(u2, u1, load<u64>(top - 16), d1, d0, v);
    if (subtractProduct(u, q, DIVISOR, n)) {
      q--;
      addBack(u, DIVISOR, n);
    }
    store<u64>(QUOTIENT + ((j - 1) << 3), q);
  }
  return bits;
}

/** Returns `count` limbs modulo one limb. */
function remainderByLimb(dividend: usize, count: usize, divisor: u64): u64 {
  const bits = <u64>i64.clz(divisor);
  const d = divisor << bits;
  const v = findReciprocalOfLimb(d);
  let above = load<u64>(dividend + ((count - 1) << 3));
  let r = (above >> 1) >> (bits ^ 63);
  for (let j = count; j > 0; j--) {
    const below = j > 1 ? load<u64>(dividend + ((j - 2) << 3)) : 0;
    const u = (above << bits) | ((below >> 1) >> (bits ^ 63));
    r = u - divideByLimb(r, u, d, v) * d;
    above = below;
  }
  return r >> bits;
}

/** Computes destination = dividend mod divisor. The dividend has `limbs` limbs, and the divisor is nonzero. */
export function remainderOfLimbs(destination: usize, dividend: usize, limbs: usize, divisor: usize): void {
  const count = countLimbs(dividend, limbs);
  const n = countLimbs(divisor, 4);
  if (count < n) return copyWord(destination, dividend);
  let r0: u64 = 0;
  let r1: u64 = 0;
  let r2: u64 = 0;
  let r3: u64 = 0;
  if (n === 1) {
    r0 = remainderByLimb(dividend, count, load<u64>(divisor));
  } else {
    const bits = divideLimbs(dividend, count, divisor, n);
    const u0 = load<u64>(DIVIDEND);
    const u1 = load<u64>(DIVIDEND, 8);
    const u2 = n > 2 ? load<u64>(DIVIDEND, 16) : 0;
    const u3 = n > 3 ? load<u64>(DIVIDEND, 24) : 0;
    r0 = (u0 >> bits) | ((u1 << 1) << (bits ^ 63));
    r1 = (u1 >> bits) | ((u2 << 1) << (bits ^ 63));
    r2 = (u2 >> bits) | ((u3 << 1) << (bits ^ 63));
    r3 = u3 >> bits;
  }
  store<u64>(destination, r0);
  store<u64>(destination, r1, 8);
  store<u64>(destination, r2, 16);
  store<u64>(destination, r3, 24);
}
