/** Brotli (RFC 7932). Window and quality are fixed, so that a compressed value can follow any other bytes. */
import { promisify } from 'node:util';
import { brotliCompress, createBrotliCompress, constants as zlibConstants } from 'node:zlib';
import type { JsonBytes, PackedBytes } from '../../../packages/ethereum/primitives/json-result.ts';
import { type Coding, MAX_STORED_BYTES } from './coding.ts';

const brotliCompressAsync = promisify(brotliCompress);

const WINDOW_BITS = 18;
/**
 * Quality 1 never refers to the static dictionary, whose distances depend on the position in the stream. A packed value therefore decompresses to the
 * same bytes at any position. Quality 1 takes less time than the fastest level of gzip on large values, and its output is a third smaller.
 */
const OPTIONS = {
  params: {
    [zlibConstants.BROTLI_PARAM_QUALITY]: 1,
    [zlibConstants.BROTLI_PARAM_LGWIN]: WINDOW_BITS,
    [zlibConstants.BROTLI_PARAM_MODE]: zlibConstants.BROTLI_MODE_TEXT,
  },
};

/** Start of a stream with the window of `WINDOW_BITS`, and an empty metadata block up to the byte boundary: the output of a flush without input. */
const STREAM_HEAD = Buffer.from([0x63, 0x00]);
/** ISLAST and ISLASTEMPTY: the empty last meta-block. */
const STREAM_END = Buffer.from([0x03]);
/** Size of the header of an uncompressed meta-block at a byte boundary: ISLAST 0, MNIBBLES 0, MLEN - 1 in 16 bits, ISUNCOMPRESSED 1, padding. */
const STORED_HEAD_BYTES = 3;

export const BROTLI: Coding = {
  name: 'br',
  streamUnits: 3,
  compress: (text) => brotliCompressAsync(text, OPTIONS),
  pack: packBrotli,
  join({ head, tail }: JsonBytes, { blocks }: PackedBytes) {
    if (Math.max(head.length, tail.length) > MAX_STORED_BYTES) return undefined;
    return [STREAM_HEAD, storeBrotli(head), blocks, storeBrotli(tail), STREAM_END];
  },
  createStream: () => createBrotliCompress({ ...OPTIONS, flush: zlibConstants.BROTLI_OPERATION_FLUSH }),
};

/** Returns an uncompressed meta-block; empty bytes for empty bytes, because a meta-block cannot store zero bytes. */
function storeBrotli(bytes: Uint8Array): Uint8Array {
  if (bytes.length === 0) return bytes;
  const block = Buffer.allocUnsafe(STORED_HEAD_BYTES + bytes.length);
  block.writeUIntLE(((bytes.length - 1) << 3) | (1 << 19), 0, STORED_HEAD_BYTES);
  block.set(bytes, STORED_HEAD_BYTES);
  return block;
}

/** Compresses a value into meta-blocks without the head of a stream and without a last one. */
function packBrotli(bytes: Uint8Array): Promise<PackedBytes> {
  return new Promise((resolve, reject) => {
    const stream = createBrotliCompress({ ...OPTIONS, flush: zlibConstants.BROTLI_OPERATION_FLUSH });
    const pieces: Buffer[] = [];
    stream.on('data', (piece: Buffer) => pieces.push(piece));
    stream.once('error', reject);
    // The first flush emits the stream's head alone, so that the value begins at a byte boundary.
    stream.flush(zlibConstants.BROTLI_OPERATION_FLUSH, () => {
      stream.write(bytes);
      stream.flush(zlibConstants.BROTLI_OPERATION_FLUSH, () => {
        stream.destroy();
        const blocks = Buffer.concat(pieces).subarray(STREAM_HEAD.length);
        resolve({ coding: 'br', blocks, length: bytes.length });
      });
    });
  });
}
