/** Byte arrays: comparison, joining, and big-endian integers in both directions. */

export const EMPTY_BYTES: Uint8Array = new Uint8Array(0);

export function bytesEqual(a: Uint8Array, b: Uint8Array): boolean {
  if (a.length !== b.length) return false;
  for (let i = 0; i < a.length; i++) if (a[i] !== b[i]) return false;
  return true;
}

/** Negative, zero or positive as `a` comes before `b` in the order of bytes, is it, or comes after it. */
export function compareBytes(a: Uint8Array, b: Uint8Array): number {
  const end = Math.min(a.length, b.length);
  for (let i = 0; i < end; i++) {
    const difference = (a[i] as number) - (b[i] as number);
    if (difference !== 0) return difference;
  }
  return a.length - b.length;
}

export function concatBytes(...parts: readonly Uint8Array[]): Uint8Array {
  let length = 0;
  for (const part of parts) length += part.length;
  const joined = new Uint8Array(length);
  let offset = 0;
  for (const part of parts) {
    joined.set(part, offset);
    offset += part.length;
  }
  return joined;
}

/** Left-pads with zeros to `length`. @throws RangeError when the value is longer. */
export function padLeft(bytes: Uint8Array, length: number): Uint8Array {
  if (bytes.length === length) return bytes;
  if (bytes.length > length) throw new RangeError(`${bytes.length} bytes do not fit in ${length}`);
  const padded = new Uint8Array(length);
  padded.set(bytes, length - bytes.length);
  return padded;
}

/** The value without leading zeros: how storage holds words, zero being empty. */
export function trimLeadingZeros(value: Uint8Array): Uint8Array {
  let start = 0;
  while (start < value.length && value[start] === 0) start++;
  return value.subarray(start);
}

/** Big-endian bytes as an unsigned integer; the empty array is 0. */
export function bytesToBigInt(bytes: Uint8Array): bigint {
  let value = 0n;
  let offset = 0;
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
  for (; offset + 8 <= bytes.length; offset += 8) value = (value << 64n) | view.getBigUint64(offset);
  for (; offset < bytes.length; offset++) value = (value << 8n) | BigInt(bytes[offset] as number);
  return value;
}

/** The shortest big-endian form: 0 is the empty array (RLP's rule for integers). */
export function bigIntToBytes(value: bigint): Uint8Array {
  if (value < 0n) throw new RangeError('negative integer');
  if (value === 0n) return EMPTY_BYTES;
  const digits = value.toString(16);
  const bytes = new Uint8Array((digits.length + 1) >> 1);
  for (let i = bytes.length - 1, end = digits.length; i >= 0; i--, end -= 2) {
    bytes[i] = Number.parseInt(digits.slice(Math.max(0, end - 2), end), 16);
  }
  return bytes;
}

/** Big-endian in exactly `length` bytes. @throws RangeError when it does not fit. */
export function bigIntToFixedBytes(value: bigint, length: number): Uint8Array {
  return padLeft(bigIntToBytes(value), length);
}
