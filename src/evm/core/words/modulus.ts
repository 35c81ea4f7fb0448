/**
 * Products modulo a number that comes again: loops use the same one all the time. The second time in a row its
 * reciprocal is computed, with which a reduction is two products (see barrett.ts).
 */
import { DIVIDEND, DIVISOR, RECIPROCAL, reduceDividend } from './barrett.ts';
import { isEqual, isLess } from './compare.ts';
import { divideLimbs, QUOTIENT } from './long-division.ts';
import { mulWide } from './multiply-wide.ts';
import { subWords } from './add.ts';
import { shlBy, shrBy } from './shift.ts';
import { copyWord, setU64 } from './word.ts';

/** The last modulus that was asked for. DIVISOR is it, shifted left so that its top bit is set. */
const MODULUS: usize = memory.data(32, 16);
let shift: u32 = 0;
/** The bits that the shift would lose. */
const LOST: usize = memory.data(32, 16);
let hasReciprocal = false;

/** 2^576 - 1 less 2^320 times the divisor. */
const NUMERATOR: usize = memory.data(72, 16);
const FACTOR: usize = memory.data(32, 16);

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
    store<u64>(NUMERATOR + i, u64.MAX_VALUE);
    store<u64>(NUMERATOR + 40 + i, ~load<u64>(DIVISOR + i));
    store<u64>(LOST + i, u64.MAX_VALUE);
  }
  store<u64>(NUMERATOR, u64.MAX_VALUE, 32);
  divideLimbs(NUMERATOR, 9, DIVISOR, 4);
  memory.copy(RECIPROCAL, QUOTIENT, 40);
  if (shift === 0) setU64(LOST, 0);
  else shlBy(LOST, LOST, 256 - shift);
  hasReciprocal = true;
}

/** Whether a word can be shifted as the modulus was. */
@inline
function fitsShift(p: usize): bool {
  const lower = (load<u64>(p) & load<u64>(LOST)) | (load<u64>(p, 8) & load<u64>(LOST, 8));
  const upper = (load<u64>(p, 16) & load<u64>(LOST, 16)) | (load<u64>(p, 24) & load<u64>(LOST, 24));
  return (lower | upper) === 0;
}

/** A word that does not fit the shift, made less than the modulus, and shifted. */
function reduceFactor(word: usize): void {
  shlBy(DIVIDEND, word, shift);
  shrBy(DIVIDEND + 32, word, 256 - shift);
  reduceDividend(FACTOR, 0);
}

/** destination = a * b modulo the modulus that was prepared. */
export function multiplyPrepared(destination: usize, a: usize, b: usize): void {
  const isFirst = fitsShift(a);
  const factor = isFirst ? a : b;
  if (isFirst || fitsShift(b)) shlBy(FACTOR, factor, shift);
  else reduceFactor(factor);
  mulWide(DIVIDEND, FACTOR, isFirst ? b : a);
  const upper = DIVIDEND + 32;
  // Factors may be greater than the modulus: 2^256 times the divisor less is the same, and less than the divisor.
  if (!isLess(upper, DIVISOR)) subWords(upper, upper, DIVISOR);
  reduceDividend(destination, shift);
}
