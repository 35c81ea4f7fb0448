/** Whether `bytes`, read as a big-endian number, is less than `limit` of the same length. */
export function isBelow(bytes: Uint8Array, limit: Uint8Array): boolean {
  for (let i = 0; i < limit.length; i++) {
    const difference = (bytes[i] as number) - (limit[i] as number);
    if (difference !== 0) return difference < 0;
  }
  return false;
}

export function isAllZero(bytes: Uint8Array): boolean {
  for (const byte of bytes) if (byte !== 0) return false;
  return true;
}
