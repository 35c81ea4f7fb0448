import { addWords, subWords } from './add.ts';
import { isLess } from './compare.ts';
import { remainderOfLimbs } from './divide.ts';
import { mulWide } from './multiply.ts';
import { copyWord, isZero, setU64 } from './word.ts';

/** A product, or a sum with its carry as fifth limb. */
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

export function mulmod(sp: usize): void {
  const modulus = sp - 64;
  if (isZero(modulus)) return setU64(modulus, 0);
  mulWide(WIDE, sp, sp - 32);
  remainderOfLimbs(modulus, WIDE, 8, modulus);
}
