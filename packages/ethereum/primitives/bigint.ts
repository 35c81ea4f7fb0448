/** Returns the larger value; `Math.max` does not accept bigints. */
export function maxBigInt(a: bigint, b: bigint): bigint {
  if (a > b) return a;
  return b;
}

export function minBigInt(a: bigint, b: bigint): bigint {
  if (a < b) return a;
  return b;
}
