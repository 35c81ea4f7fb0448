/**
 * Products modulo a recurring modulus, because loops use the same modulus repeatedly. The modulus is prepared at its second consecutive use. When the
 * modulus is prepared, a product with its reduction takes at most half the time (see reducing.ts).
 */
import { isEqual } from './compare.ts';
import { remainderOfLimbs } from './long-division.ts';
import { DIVISOR, multiplyReducing, prepareDivisor, scaleReducing, SMALL, squareReducing } from './reducing.ts';
import { shlBy, shrBy } from './shift.ts';
import { copyWord, fitsU64, setU64 } from './word.ts';

/** The last modulus. DIVISOR is the modulus, shifted left if it is less than 2^248. */
const MODULUS: usize = memory.data(32, 16);
let isPrepared = false;
let shift: u32 = 0;
/** Mask of the bits that the shift would lose. */
const LOST: usize = memory.data(32, 16);
const FACTOR: usize = memory.data(32, 16);

/** Remembers a nonzero modulus, and prepares it at its second consecutive use. @returns whether the modulus equals the previous modulus */
@inline
export function prepareModulus(modulus: usize): bool {
  if (isEqual(modulus, MODULUS)) {
    if (!isPrepared) prepare();
    return true;
  }
  copyWord(MODULUS, modulus);
  isPrepared = false;
  return false;
}

function prepare(): void {
  let at: usize = 24;
  while (load<u64>(MODULUS + at) === 0) at -= 8;
  const zeros = <u32>i64.clz(load<u64>(MODULUS + at)) + ((24 - <u32>at) << 3);
  shift = zeros < 8 ? 0 : zeros;
  shlBy(DIVISOR, MODULUS, shift);
  for (let i: usize = 0; i < 32; i += 8) store<u64>(LOST + i, u64.MAX_VALUE);
  if (shift === 0) setU64(LOST, 0);
  else shlBy(LOST, LOST, 256 - shift);
  prepareDivisor();
  isPrepared = true;
}

@inline
function isSmall(p: usize): bool {
  return fitsU64(p) && load<u64>(p) < SMALL;
}

/**
 * Computes destination = a * b modulo DIVISOR. For small factors and for squares there are separate functions, since computations on elliptic curves
 * mostly need them.
 */
@inline
function multiply(destination: usize, a: usize, b: usize): void {
  if (isSmall(a)) scaleReducing(destination, b, load<u64>(a));
  else if (isSmall(b)) scaleReducing(destination, a, load<u64>(b));
  else if (isEqual(a, b)) squareReducing(destination, a);
  else multiplyReducing(destination, a, b);
}

/** Whether a word can be shifted left by `shift` bits without losing bits. */
@inline
function fitsShift(p: usize): bool {
  const lower = (load<u64>(p) & load<u64>(LOST)) | (load<u64>(p, 8) & load<u64>(LOST, 8));
  const upper = (load<u64>(p, 16) & load<u64>(LOST, 16)) | (load<u64>(p, 24) & load<u64>(LOST, 24));
  return (lower | upper) === 0;
}

/**
 * Computes a product modulo the shifted modulus. One factor must be shifted left by `shift` bits, too. If neither factor can be shifted without
 * losing bits, the remainder of `a` is shifted.
 */
function multiplyShifted(destination: usize, a: usize, b: usize): void {
  let factor = a;
  let other = b;
  if (!fitsShift(a)) {
    if (fitsShift(b)) {
      factor = b;
      other = a;
    } else {
      remainderOfLimbs(FACTOR, a, 4, MODULUS);
      factor = FACTOR;
    }
  }
  shlBy(FACTOR, factor, shift);
  multiply(destination, FACTOR, other);
  shrBy(destination, destination, shift);
}

/** Computes destination = a * b modulo the prepared modulus. */
export function multiplyPrepared(destination: usize, a: usize, b: usize): void {
  if (shift === 0) multiply(destination, a, b);
  else multiplyShifted(destination, a, b);
}
