/** Words: 256 bits as four little-endian u64 limbs, limb 0 lowest, 32 bytes at an address. */

@inline
export function isZero(p: usize): bool {
  return (load<u64>(p) | load<u64>(p, 8) | load<u64>(p, 16) | load<u64>(p, 24)) == 0;
}

/** Whether the upper three limbs are zero. */
@inline
export function fitsU64(p: usize): bool {
  return (load<u64>(p, 8) | load<u64>(p, 16) | load<u64>(p, 24)) == 0;
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
  const low = v128.load(source);
  const high = v128.load(source, 16);
  v128.store(destination, low);
  v128.store(destination, high, 16);
}

@inline
function reverseBytes(x: v128): v128 {
  return v128.shuffle<u8>(x, x, 15, 14, 13, 12, 11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1, 0);
}

/** `bytes` need no alignment. */
@inline
export function loadBigEndian(destination: usize, bytes: usize): void {
  const high = v128.load(bytes);
  const low = v128.load(bytes, 16);
  v128.store(destination, reverseBytes(low));
  v128.store(destination, reverseBytes(high), 16);
}

/** `bytes` need no alignment. */
@inline
export function storeBigEndian(bytes: usize, source: usize): void {
  const low = v128.load(source);
  const high = v128.load(source, 16);
  v128.store(bytes, reverseBytes(high));
  v128.store(bytes, reverseBytes(low), 16);
}
