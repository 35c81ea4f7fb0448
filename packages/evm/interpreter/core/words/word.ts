/**
 * Words: 256 bits as four little-endian u64 limbs, limb 0 lowest, 32 bytes at an address. Words are read limb by limb. A 16-byte load of two limbs
 * that were just stored separately waits for both to leave the store buffer (3.4 ns measured in a chain of additions and ANDs). An 8-byte load is
 * served from the store buffer after an 8-byte or a 16-byte store.
 */

@inline
export function isZero(p: usize): bool {
  return (load<u64>(p) | load<u64>(p, 8) | load<u64>(p, 16) | load<u64>(p, 24)) === 0;
}

/** Whether the upper three limbs are zero. */
@inline
export function fitsU64(p: usize): bool {
  return (load<u64>(p, 8) | load<u64>(p, 16) | load<u64>(p, 24)) === 0;
}

@inline
export function setU64(p: usize, value: u64): void {
  store<u64>(p, value);
  store<u64>(p, 0, 8);
  store<u64>(p, 0, 16);
  store<u64>(p, 0, 24);
}

@inline
export function copyWord(destination: usize, source: usize): void {
  const limb0 = load<u64>(source);
  const limb1 = load<u64>(source, 8);
  const limb2 = load<u64>(source, 16);
  const limb3 = load<u64>(source, 24);
  store<u64>(destination, limb0);
  store<u64>(destination, limb1, 8);
  store<u64>(destination, limb2, 16);
  store<u64>(destination, limb3, 24);
}

@inline
export function swapWords(a: usize, b: usize): void {
  const limb0 = load<u64>(b);
  const limb1 = load<u64>(b, 8);
  const limb2 = load<u64>(b, 16);
  const limb3 = load<u64>(b, 24);
  copyWord(b, a);
  store<u64>(a, limb0);
  store<u64>(a, limb1, 8);
  store<u64>(a, limb2, 16);
  store<u64>(a, limb3, 24);
}

@inline
function loadLimbPair(p: usize): v128 {
  return v128.load_lane<u64>(p, v128.load_zero<u64>(p), 1, 8);
}

@inline
function reverseBytes(x: v128): v128 {
  return v128.shuffle<u8>(x, x, 15, 14, 13, 12, 11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1, 0);
}

/** @param bytes address of 32 bytes, of any alignment */
@inline
export function loadBigEndian(destination: usize, bytes: usize): void {
  const high = v128.load(bytes);
  const low = v128.load(bytes, 16);
  v128.store(destination, reverseBytes(low));
  v128.store(destination, reverseBytes(high), 16);
}

/** @param bytes address of 32 bytes, of any alignment */
@inline
export function storeBigEndian(bytes: usize, source: usize): void {
  const low = loadLimbPair(source);
  const high = loadLimbPair(source + 16);
  v128.store(bytes, reverseBytes(high));
  v128.store(bytes, reverseBytes(low), 16);
}
