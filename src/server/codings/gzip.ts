/** gzip (RFC 1952): deflate with a checksum. The checksum of a body is computed from the checksums of its parts. */
import { promisify } from 'node:util';
import { crc32, createGzip, deflateRaw, gzip, constants as zlibConstants } from 'node:zlib';
import type { JsonBytes, PackedBytes } from '../../../packages/ethereum/primitives/json-result.ts';
import { type Coding, MAX_STORED_BYTES } from './coding.ts';

const gzipAsync = promisify(gzip);
const deflateRawAsync = promisify(deflateRaw);

const OPTIONS = { level: zlibConstants.Z_BEST_SPEED };

/** Header of a member (RFC 1952 2.3): deflate, no name, no time, fastest level, unknown system. */
const GZIP_HEAD = Buffer.from([0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 4, 0xff]);
/** Size of the header of a stored block (RFC 1951 3.2.4) at a byte boundary: one byte, the length, and its complement. */
const STORED_HEAD_BYTES = 5;
const LAST_BLOCK = 1;
const TRAILER_BYTES = 8;
/** CRC-32 polynomial, bits reversed. */
const POLYNOMIAL = 0xedb88320;
/** The polynomial 1 (x^0) in reversed bit order. */
const ONE = 0x80000000;

export const GZIP: Coding = {
  name: 'gzip',
  streamUnits: 1,
  compress: (text) => gzipAsync(text, OPTIONS),
  async pack(bytes) {
    const blocks = await deflateRawAsync(bytes, { ...OPTIONS, finishFlush: zlibConstants.Z_SYNC_FLUSH });
    return {
      coding: 'gzip',
      blocks,
      checksum: [crc32(bytes), computeShift(bytes.length)],
      length: bytes.length,
    };
  },
  join: encodeMember,
  createStream: () => createGzip({ ...OPTIONS, flush: zlibConstants.Z_SYNC_FLUSH }),
};

/** Encodes one member with the packed value between stored blocks. */
function encodeMember(
  { head, tail, length }: JsonBytes,
  packed: PackedBytes,
): readonly Uint8Array[] | undefined {
  if (Math.max(head.length, tail.length) > MAX_STORED_BYTES) return undefined;
  const before = Buffer.allocUnsafe(GZIP_HEAD.length + STORED_HEAD_BYTES + head.length);
  GZIP_HEAD.copy(before);
  writeStored(before, GZIP_HEAD.length, head, 0);
  const after = Buffer.allocUnsafe(STORED_HEAD_BYTES + tail.length + TRAILER_BYTES);
  const end = writeStored(after, 0, tail, LAST_BLOCK);
  after.writeUInt32LE(crc32(tail, combineCrc(crc32(head), packed)), end);
  after.writeUInt32LE(length, end + 4);
  return [before, packed.blocks, after];
}

function writeStored(target: Buffer, start: number, bytes: Uint8Array, first: number): number {
  let at = target.writeUInt8(first, start);
  at = target.writeUInt16LE(bytes.length, at);
  at = target.writeUInt16LE(bytes.length ^ MAX_STORED_BYTES, at);
  target.set(bytes, at);
  return at + bytes.length;
}

/**
 * Returns the CRC-32 of the concatenation of some bytes and packed bytes, like zlib's `crc32_combine`.
 * @param crc CRC-32 of the bytes that precede the packed bytes
 */
function combineCrc(crc: number, { checksum: [packedCrc, shift] = [0, 0] }: PackedBytes): number {
  return (multiply(shift, crc) ^ packedCrc) >>> 0;
}

/** Returns x to the power of 8 * `bytes`, modulo the polynomial. */
function computeShift(bytes: number): number {
  // Square-and-multiply: starts with x^8, squared for each binary digit of `bytes`.
  let square = ONE >>> 8;
  let shift = ONE;
  for (let left = bytes; left > 0; left = Math.floor(left / 2)) {
    if (left % 2 === 1) shift = multiply(square, shift);
    square = multiply(square, square);
  }
  return shift;
}

/** Returns the product of two polynomials modulo the CRC polynomial. */
function multiply(a: number, b: number): number {
  let product = 0;
  let shifted = b;
  for (let bit = ONE; bit !== 0; bit >>>= 1) {
    if ((a & bit) !== 0) product ^= shifted;
    shifted = (shifted & 1) === 0 ? shifted >>> 1 : (shifted >>> 1) ^ POLYNOMIAL;
  }
  return product >>> 0;
}
