import type { Zstd } from '@hpcc-js/wasm-zstd';

/** Lengths of parts of a zstd frame (RFC 8878), and the type of a compressed block. */
const MAGIC_BYTES = 4;
const BLOCK_HEADER_BYTES = 3;
const MAX_BLOCK_BYTES = 128 * 1024;
const COMPRESSED_BLOCK = 2;
/** Minimum gain of compression: 1/64 of the block plus two bytes. With a smaller gain, zstd stores the block uncompressed. */
const LEAST_GAIN_SHIFT = 6;
const LEAST_GAIN_BYTES = 2;
/**
 * Lengths in bytes of two fields of the frame header. The lowest two bits of the frame descriptor select the length of the dictionary id, the highest
 * two bits the length of the content size.
 */
const DICTIONARY_ID_BYTES = [0, 1, 2, 4];
const CONTENT_SIZE_BYTES = [0, 2, 4, 8];
const SINGLE_SEGMENT = 0x20;

/**
 * Compression level of Scroll's nodes, which also use uncompressed literals and no magic number (reth, `compute_compression_ratio`; geth uses the
 * same library).
 */
const LEVEL = 3;

let loading: Promise<Zstd> | undefined;

/** Returns the number of bytes that Scroll counts for a transaction since Galileo: the compressed length, or the original length if that is less. */
export async function findCompressedSize(transaction: Uint8Array): Promise<number> {
  // Loaded on demand: zstd has 240 kB, and only chains with Scroll's pricing need it.
  loading ??= import('@hpcc-js/wasm-zstd').then((library) => library.Zstd.load());
  const zstd = await loading;
  const frame = zstd.compress(transaction, LEVEL);
  return Math.min(transaction.length, measureWithPlainLiterals(frame, transaction.length));
}

/**
 * Returns the length of a frame in the format of Scroll's nodes: with uncompressed literals, and without the magic number. At compression levels
 * without an optimal parser, both formats contain the same sequences.
 * @param frame result of compression in a single pass
 * @param length length of the original data, which is also stored in the frame
 */
function measureWithPlainLiterals(frame: Uint8Array, length: number): number {
  const descriptor = frame[MAGIC_BYTES] as number;
  const isSingle = (descriptor & SINGLE_SEGMENT) !== 0;
  const sizeBytes = CONTENT_SIZE_BYTES[descriptor >> 6] as number;
  let at =
    MAGIC_BYTES +
    1 +
    (isSingle ? 0 : 1) +
    (DICTIONARY_ID_BYTES[descriptor & 3] as number) +
    (sizeBytes === 0 && isSingle ? 1 : sizeBytes);
  let total = at - MAGIC_BYTES;
  let left = length;
  for (let isLast = false; !isLast; ) {
    const header = readLittleEndian(frame, at, BLOCK_HEADER_BYTES);
    isLast = (header & 1) === 1;
    const type = (header >> 1) & 3;
    const size = header >> 3;
    at += BLOCK_HEADER_BYTES;
    const content = Math.min(left, MAX_BLOCK_BYTES);
    // The size of an RLE block is its decompressed length.
    const reserved = type === 1 ? 1 : size;
    total += BLOCK_HEADER_BYTES;
    total += type === COMPRESSED_BLOCK ? measureBlock(frame, at, size, content) : reserved;
    left -= content;
    at += reserved;
  }
  return total;
}

function measureBlock(frame: Uint8Array, at: number, size: number, content: number): number {
  const { reserved, plain } = measureLiterals(frame, at);
  const bytes = size - reserved + plain;
  const most = content - (content >> LEAST_GAIN_SHIFT) - LEAST_GAIN_BYTES;
  return bytes < most ? bytes : content;
}

/** Returns the length in bytes of a block's literals section, as stored and with uncompressed literals. */
function measureLiterals(
  frame: Uint8Array,
  at: number,
): { readonly reserved: number; readonly plain: number } {
  const first = frame[at] as number;
  const type = first & 3;
  const form = (first >> 2) & 3;
  if (type < 2) {
    const headerBytes = form === 1 ? 2 : form === 3 ? 3 : 1;
    const count = readLittleEndian(frame, at, headerBytes) >> (headerBytes === 1 ? 3 : 4);
    return { reserved: headerBytes + (type === 1 ? 1 : count), plain: sizePlain(count) };
  }
  const headerBytes = form < 2 ? 3 : form + 2;
  const bits = form < 2 ? 10 : form === 2 ? 14 : 18;
  const fields = readLittleEndian(frame, at, headerBytes);
  const count = Math.floor(fields / 2 ** 4) % 2 ** bits;
  const compressed = Math.floor(fields / 2 ** (4 + bits)) % 2 ** bits;
  return { reserved: headerBytes + compressed, plain: sizePlain(count) };
}

function sizePlain(count: number): number {
  return (count < 32 ? 1 : count < 4096 ? 2 : 3) + count;
}

/**
 * Reads an unsigned little-endian integer.
 * @param count number of bytes, at most six
 */
function readLittleEndian(bytes: Uint8Array, at: number, count: number): number {
  let value = 0;
  for (let i = count - 1; i >= 0; i--) value = value * 256 + (bytes[at + i] as number);
  return value;
}
