import { fitsU64, isZero, setU64 } from './word.ts';

/**
 * Compares words from the top limb down. Most values are either small or full width, so the processor predicts the branches on equal upper limbs. The
 * branches cost less than a borrow chain through all limbs.
 */
@inline
export function isLess(a: usize, b: usize): bool {
  const a3 = load<u64>(a, 24);
  const b3 = load<u64>(b, 24);
  if (a3 !== b3) return a3 < b3;
  const a2 = load<u64>(a, 16);
  const b2 = load<u64>(b, 16);
  if (a2 !== b2) return a2 < b2;
  const a1 = load<u64>(a, 8);
  const b1 = load<u64>(b, 8);
  if (a1 !== b1) return a1 < b1;
  return load<u64>(a) < load<u64>(b);
}

@inline
export function isSignedLess(a: usize, b: usize): bool {
  const a3 = load<i64>(a, 24);
  const b3 = load<i64>(b, 24);
  if (a3 !== b3) return a3 < b3;
  const a2 = load<u64>(a, 16);
  const b2 = load<u64>(b, 16);
  if (a2 !== b2) return a2 < b2;
  const a1 = load<u64>(a, 8);
  const b1 = load<u64>(b, 8);
  if (a1 !== b1) return a1 < b1;
  return load<u64>(a) < load<u64>(b);
}

/** Compares a word with a 64-bit number. */
@inline
export function isBelow(p: usize, value: u64): bool {
  return fitsU64(p) && load<u64>(p) < value;
}

@inline
export function isAbove(p: usize, value: u64): bool {
  return load<u64>(p) > value || !fitsU64(p);
}

@inline
export function isNumber(p: usize, value: u64): bool {
  return fitsU64(p) && load<u64>(p) === value;
}

@inline
export function isEqual(a: usize, b: usize): bool {
  const low = (load<u64>(a) ^ load<u64>(b)) | (load<u64>(a, 8) ^ load<u64>(b, 8));
  const high = (load<u64>(a, 16) ^ load<u64>(b, 16)) | (load<u64>(a, 24) ^ load<u64>(b, 24));
  return (low | high) === 0;
}

@inline
export function lt(sp: usize): void {
  setU64(sp - 32, u64(isLess(sp, sp - 32)));
}

@inline
export function gt(sp: usize): void {
  setU64(sp - 32, u64(isLess(sp - 32, sp)));
}

@inline
export function slt(sp: usize): void {
  setU64(sp - 32, u64(isSignedLess(sp, sp - 32)));
}

@inline
export function sgt(sp: usize): void {
  setU64(sp - 32, u64(isSignedLess(sp - 32, sp)));
}

@inline
export function eq(sp: usize): void {
  setU64(sp - 32, u64(isEqual(sp, sp - 32)));
}

@inline
export function iszero(sp: usize): void {
  setU64(sp, u64(isZero(sp)));
}
