/** The larger of two; `Math.max` takes no bigint. */
export function maxBigInt(a: bigint, b: bigint): bigint {
  if (a > b) return a;
  return b;
}

export function minBigInt(a: bigint, b: bigint): bigint {
  if (a < b) return a;
  return b;
}
