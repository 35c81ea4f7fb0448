/** Byte arrays: comparison, concatenation, and conversion to and from big-endian integers. */

export const EMPTY_BYTES: Uint8Array = new Uint8Array(0);

export function bytesEqual(a: Uint8Array, b: Uint8Array): boolean {
  if (a.length !== b.length) return false;
  for (let i = 0; i < a.length; i++) if (a[i] !== b[i]) return false;
  return true;
}

/** Lexicographic order: negative if `a` sorts before `b`, 0 if they are equal, positive if after. */
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

/** Left-pads with zeros to `length`. @throws RangeError if the value is longer */
export function padLeft(bytes: Uint8Array, length: number): Uint8Array {
  if (bytes.length === length) return bytes;
  if (bytes.length > length) throw new RangeError(`${bytes.length} bytes do not fit in ${length}`);
  const padded = new Uint8Array(length);
  padded.set(bytes, length - bytes.length);
  return padded;
}

/** Returns the value without leading zeros, the form of words in storage tries. Zero becomes the empty array. */
export function trimLeadingZeros(value: Uint8Array): Uint8Array {
  let start = 0;
  while (start < value.length && value[start] === 0) start++;
  return value.subarray(start);
}

/** Maximum length in bytes of integers that a JavaScript number represents exactly. Computing with numbers is faster than computing with bigints. */
const NUMBER_LENGTH = 6;

/** Big-endian bytes as an unsigned integer; the empty array is 0. */
export function bytesToBigInt(bytes: Uint8Array): bigint {
  if (bytes.length <= NUMBER_LENGTH) return BigInt(readNumber(bytes));
  let value = 0n;
  let offset = 0;
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
  for (; offset + 8 <= bytes.length; offset += 8) value = (value << 64n) | view.getBigUint64(offset);
  for (; offset < bytes.length; offset++) value = (value << 8n) | BigInt(bytes[offset] as number);
  return value;
}

function readNumber(bytes: Uint8Array): number {
  let value = 0;
  for (const byte of bytes) value = value * 256 + byte;
  return value;
}

const WORD_LENGTH = 32;
const MAX_WORD = 2n ** 256n - 1n;
/** Scratch space for splitting integers, 64 bits at a time. */
const word = new Uint8Array(WORD_LENGTH);
const wordView = new DataView(word.buffer);

/** Writes the value to the end of `word`. @returns offset of the value's first byte in `word` */
function fillWord(value: bigint): number {
  let start = WORD_LENGTH;
  for (let rest = value; rest > 0n; rest >>= 64n) {
    start -= 8;
    wordView.setBigUint64(start, rest);
  }
  while (word[start] === 0) start++;
  return start;
}

/** Returns the shortest big-endian form; 0 is the empty array (RLP integers). @throws RangeError if the value is negative */
export function bigIntToBytes(value: bigint): Uint8Array {
  if (value < 0n) throw new RangeError('negative integer');
  if (value === 0n) return EMPTY_BYTES;
  return value > MAX_WORD ? longToBytes(value) : word.slice(fillWord(value));
}

/** Encodes an integer above 256 bits; modular exponentiation has such integers. */
function longToBytes(value: bigint): Uint8Array {
  const digits = value.toString(16);
  const bytes = new Uint8Array((digits.length + 1) >> 1);
  for (let i = bytes.length - 1, end = digits.length; i >= 0; i--, end -= 2) {
    bytes[i] = Number.parseInt(digits.slice(Math.max(0, end - 2), end), 16);
  }
  return bytes;
}

/** Length in bytes of the shortest big-endian form. @throws RangeError if the value is negative */
export function measureBigInt(value: bigint): number {
  if (value < 0n) throw new RangeError('negative integer');
  return value > MAX_WORD ? longToBytes(value).length : WORD_LENGTH - fillWord(value);
}

/** Writes the shortest big-endian form to offset `at` of `out`. @returns offset behind the written bytes */
export function writeBigInt(value: bigint, out: Uint8Array, at: number): number {
  const bytes = value > MAX_WORD ? longToBytes(value) : word.subarray(fillWord(value));
  out.set(bytes, at);
  return at + bytes.length;
}

/** Returns the value in exactly `length` big-endian bytes. @throws RangeError if the value is negative or does not fit */
export function bigIntToFixedBytes(value: bigint, length: number): Uint8Array {
  return padLeft(bigIntToBytes(value), length);
}
