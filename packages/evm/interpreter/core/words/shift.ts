import { fitsU64, setU64 } from './word.ts';

/** Shifts `low` right by 0 to 63 bits, filled from `high`, without a branch for a shift by 0. */
@inline
function shiftRightDouble(high: u64, low: u64, bits: u64): u64 {
  return (low >> bits) | ((high << 1) << (bits ^ 63));
}

@inline
function shiftLeftDouble(high: u64, low: u64, bits: u64): u64 {
  return (high << bits) | ((low >> 1) >> (bits ^ 63));
}

/** @param count number of bits, 0 to 255 */
export function shlBy(destination: usize, source: usize, count: u32): void {
  const bits = <u64>(count & 63);
  const a0 = load<u64>(source);
  const a1 = load<u64>(source, 8);
  const a2 = load<u64>(source, 16);
  const a3 = load<u64>(source, 24);
  let r0: u64 = 0;
  let r1: u64 = 0;
  let r2: u64 = 0;
  let r3: u64 = 0;
  switch (count >> 6) {
    case 0: {
      r0 = a0 << bits;
      r1 = shiftLeftDouble(a1, a0, bits);
      r2 = shiftLeftDouble(a2, a1, bits);
      r3 = shiftLeftDouble(a3, a2, bits);
      break;
    }
    case 1: {
      r1 = a0 << bits;
      r2 = shiftLeftDouble(a1, a0, bits);
      r3 = shiftLeftDouble(a2, a1, bits);
      break;
    }
    case 2: {
      r2 = a0 << bits;
      r3 = shiftLeftDouble(a1, a0, bits);
      break;
    }
    default:
      r3 = a0 << bits;
  }
  store<u64>(destination, r0);
  store<u64>(destination, r1, 8);
  store<u64>(destination, r2, 16);
  store<u64>(destination, r3, 24);
}

/**
 * @param count number of bits, 0 to 255
 * @param sign 64-bit limb that is shifted in from the left: all zeros or all ones
 */
@inline
function shiftRight(destination: usize, source: usize, count: u32, sign: u64): void {
  const bits = <u64>(count & 63);
  const a0 = load<u64>(source);
  const a1 = load<u64>(source, 8);
  const a2 = load<u64>(source, 16);
  const a3 = load<u64>(source, 24);
  let r0 = sign;
  let r1 = sign;
  let r2 = sign;
  let r3 = sign;
  switch (count >> 6) {
    case 0: {
      r0 = shiftRightDouble(a1, a0, bits);
      r1 = shiftRightDouble(a2, a1, bits);
      r2 = shiftRightDouble(a3, a2, bits);
      r3 = shiftRightDouble(sign, a3, bits);
      break;
    }
    case 1: {
      r0 = shiftRightDouble(a2, a1, bits);
      r1 = shiftRightDouble(a3, a2, bits);
      r2 = shiftRightDouble(sign, a3, bits);
      break;
    }
    case 2: {
      r0 = shiftRightDouble(a3, a2, bits);
      r1 = shiftRightDouble(sign, a3, bits);
      break;
    }
    default:
      r0 = shiftRightDouble(sign, a3, bits);
  }
  store<u64>(destination, r0);
  store<u64>(destination, r1, 8);
  store<u64>(destination, r2, 16);
  store<u64>(destination, r3, 24);
}

/** @param count number of bits, 0 to 255 */
export function shrBy(destination: usize, source: usize, count: u32): void {
  shiftRight(destination, source, count, 0);
}

@inline
function isWholeWord(p: usize): bool {
  return !fitsU64(p) || load<u64>(p) > 255;
}

@inline
export function shl(sp: usize): void {
  if (isWholeWord(sp)) setU64(sp - 32, 0);
  else shlBy(sp - 32, sp - 32, load<u32>(sp));
}

@inline
export function shr(sp: usize): void {
  if (isWholeWord(sp)) setU64(sp - 32, 0);
  else shrBy(sp - 32, sp - 32, load<u32>(sp));
}

export function sar(sp: usize): void {
  const below = sp - 32;
  const sign = <u64>(load<i64>(below, 24) >> 63);
  if (isWholeWord(sp)) {
    store<u64>(below, sign);
    store<u64>(below, sign, 8);
    store<u64>(below, sign, 16);
    store<u64>(below, sign, 24);
    return;
  }
  shiftRight(below, below, load<u32>(sp), sign);
}
