import { setU64 } from './word.ts';

@inline
export function andWord(destination: usize, a: usize, b: usize): void {
  const limb0 = load<u64>(a) & load<u64>(b);
  const limb1 = load<u64>(a, 8) & load<u64>(b, 8);
  const limb2 = load<u64>(a, 16) & load<u64>(b, 16);
  const limb3 = load<u64>(a, 24) & load<u64>(b, 24);
  store<u64>(destination, limb0);
  store<u64>(destination, limb1, 8);
  store<u64>(destination, limb2, 16);
  store<u64>(destination, limb3, 24);
}

@inline
export function and(sp: usize): void {
  andWord(sp - 32, sp, sp - 32);
}

@inline
export function orWord(destination: usize, a: usize, b: usize): void {
  const limb0 = load<u64>(a) | load<u64>(b);
  const limb1 = load<u64>(a, 8) | load<u64>(b, 8);
  const limb2 = load<u64>(a, 16) | load<u64>(b, 16);
  const limb3 = load<u64>(a, 24) | load<u64>(b, 24);
  store<u64>(destination, limb0);
  store<u64>(destination, limb1, 8);
  store<u64>(destination, limb2, 16);
  store<u64>(destination, limb3, 24);
}

@inline
export function or(sp: usize): void {
  orWord(sp - 32, sp, sp - 32);
}

@inline
export function xorWord(destination: usize, a: usize, b: usize): void {
  const limb0 = load<u64>(a) ^ load<u64>(b);
  const limb1 = load<u64>(a, 8) ^ load<u64>(b, 8);
  const limb2 = load<u64>(a, 16) ^ load<u64>(b, 16);
  const limb3 = load<u64>(a, 24) ^ load<u64>(b, 24);
  store<u64>(destination, limb0);
  store<u64>(destination, limb1, 8);
  store<u64>(destination, limb2, 16);
  store<u64>(destination, limb3, 24);
}

@inline
export function xor(sp: usize): void {
  xorWord(sp - 32, sp, sp - 32);
}

@inline
export function not(sp: usize): void {
  const limb0 = ~load<u64>(sp);
  const limb1 = ~load<u64>(sp, 8);
  const limb2 = ~load<u64>(sp, 16);
  const limb3 = ~load<u64>(sp, 24);
  store<u64>(sp, limb0);
  store<u64>(sp, limb1, 8);
  store<u64>(sp, limb2, 16);
  store<u64>(sp, limb3, 24);
}

/** BYTE: the index counts from the most significant byte; index 0 is the byte at offset 31 of the little-endian word. */
@inline
export function byteAt(sp: usize): void {
  const below = sp - 32;
  const index = load<u64>(sp);
  const isOutside = (load<u64>(sp, 8) | load<u64>(sp, 16) | load<u64>(sp, 24) | (index & ~31)) !== 0;
  setU64(below, isOutside ? 0 : <u64>load<u8>(below + 31 - (<usize>index & 31)));
}

/** CLZ: number of leading zero bits, 256 for zero (EIP-7939). */
export function clz(sp: usize): void {
  let limb = load<u64>(sp, 24);
  let above: u64 = 0;
  if (limb === 0) {
    limb = load<u64>(sp, 16);
    above = 64;
    if (limb === 0) {
      limb = load<u64>(sp, 8);
      above = 128;
      if (limb === 0) {
        limb = load<u64>(sp);
        above = 192;
      }
    }
  }
  setU64(sp, above + i64.clz(limb));
}

/** SIGNEXTEND: the top stack word is a byte index, counted from the least significant byte. The top bit of the indexed byte is the sign. */
export function signextend(sp: usize): void {
  const index = load<u64>(sp);
  if ((load<u64>(sp, 8) | load<u64>(sp, 16) | load<u64>(sp, 24)) !== 0 || index > 30) return;
  const below = sp - 32;
  const shift = 56 - ((index & 7) << 3);
  let at = below + <usize>(index & 24);
  const limb = <i64>(load<u64>(at) << shift) >> shift;
  store<i64>(at, limb);
  for (at += 8; at < sp; at += 8) store<i64>(at, limb >> 63);
}
