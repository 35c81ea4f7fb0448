import { addWords, subWords } from './add.ts';
import { isLess } from './compare.ts';
import { remainderOfLimbs } from './long-division.ts';
import { multiplyPrepared, prepareModulus } from './modulus.ts';
import { mulHigh } from './multiply.ts';
import { mulWide } from './multiply-wide.ts';
import { copyWord, isZero } from './word.ts';

/** Buffer for a product, or for a sum whose carry is the fifth limb. */
const WIDE: usize = memory.data(64, 16);

export function addmod(sp: usize): void {
  const a = sp;
  const b = sp - 32;
  const modulus = sp - 64;
  if (isZero(modulus)) return;
  addWords(WIDE, a, b);
  const carry = isLess(WIDE, a);
  if (isLess(a, modulus) && isLess(b, modulus)) {
    if (carry || !isLess(WIDE, modulus)) subWords(modulus, WIDE, modulus);
    else copyWord(modulus, WIDE);
    return;
  }
  store<u64>(WIDE, u64(carry), 32);
  remainderOfLimbs(modulus, WIDE, 5, modulus);
}

/**
 * Whether the modulus is 2^256 - c with 0 < c < 2^64. Examples of such moduli are 2^256 - 1, which mulDiv functions in Solidity use, and the prime of
 * secp256k1.
 */
@inline
function isNearTop(modulus: usize): bool {
  const upper = load<u64>(modulus, 8) & load<u64>(modulus, 16) & load<u64>(modulus, 24);
  return upper === u64.MAX_VALUE && load<u64>(modulus) !== 0;
}

/**
 * Overwrites `modulus` with WIDE modulo `modulus`. The modulus must have the form 2^256 - c. Twice, the upper half of WIDE is multiplied by c and
 * added to the lower half.
 */
function reduceNearTop(modulus: usize): void {
  const c = -load<u64>(modulus);
  const u0 = load<u64>(WIDE, 32);
  const u1 = load<u64>(WIDE, 40);
  const u2 = load<u64>(WIDE, 48);
  const u3 = load<u64>(WIDE, 56);
  let carry: u64 = 0;
  let term = u0 * c;
  let r0 = load<u64>(WIDE) + term;
  carry = mulHigh(u0, c) + u64(r0 < term);
  term = u1 * c;
  let sum = term + carry;
  let r1 = load<u64>(WIDE, 8) + sum;
  carry = mulHigh(u1, c) + u64(sum < term) + u64(r1 < sum);
  term = u2 * c;
  sum = term + carry;
  let r2 = load<u64>(WIDE, 16) + sum;
  carry = mulHigh(u2, c) + u64(sum < term) + u64(r2 < sum);
  term = u3 * c;
  sum = term + carry;
  let r3 = load<u64>(WIDE, 24) + sum;
  carry = mulHigh(u3, c) + u64(sum < term) + u64(r3 < sum);
  // The carry is at most c (the modulus is 2^256 - c), so the carry times c has two limbs. If the sum overflows 256 bits, its
  // remaining 256 bits are a small number.
  term = carry * c;
  r0 += term;
  let extra = mulHigh(carry, c) + u64(r0 < term);
  r1 += extra;
  extra = u64(r1 < extra);
  r2 += extra;
  extra = u64(r2 < extra);
  r3 += extra;
  if (r3 < extra) {
    r0 += c;
    r1 += u64(r0 < c);
  }
  if ((r1 & r2 & r3) === u64.MAX_VALUE && r0 >= -c) {
    r0 += c;
    r1 = 0;
    r2 = 0;
    r3 = 0;
  }
  store<u64>(modulus, r0);
  store<u64>(modulus, r1, 8);
  store<u64>(modulus, r2, 16);
  store<u64>(modulus, r3, 24);
}

export function mulmod(sp: usize): void {
  const modulus = sp - 64;
  if (isZero(modulus)) return;
  if (isNearTop(modulus)) {
    mulWide(WIDE, sp, sp - 32);
    reduceNearTop(modulus);
  } else if (prepareModulus(modulus)) {
    multiplyPrepared(modulus, sp, sp - 32);
  } else {
    mulWide(WIDE, sp, sp - 32);
    remainderOfLimbs(modulus, WIDE, 8, modulus);
  }
}
