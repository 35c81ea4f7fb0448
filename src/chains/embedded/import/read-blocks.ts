import { createReadStream, type ReadStream } from 'node:fs';
import { open } from 'node:fs/promises';
import { Transform } from 'node:stream';
import { createGunzip } from 'node:zlib';
import { readRlpSpan } from '../../../../packages/ethereum/primitives/rlp.ts';
import { PackedPosition } from './packed-position.ts';

/** An encoded block of a file, and the file offset (compressed, for gzip) at which it ends. */
export type FileBlock = { readonly encoded: Uint8Array; readonly fileEnd: number };

/** Maximum encoded size of a block in a file, bytes; blocks of real chains are far smaller. */
const MAX_ENCODED_BLOCK = 256 * 1024 * 1024;
const GZIP_MAGIC = 0x1f8b;

async function isGzip(path: string): Promise<boolean> {
  const file = await open(path);
  try {
    const { buffer, bytesRead } = await file.read(Buffer.alloc(2), 0, 2, 0);
    return bytesRead === 2 && buffer.readUInt16BE() === GZIP_MAGIC;
  } finally {
    await file.close();
  }
}

/** Decompresses a gzip file; `position` records the file offset of each piece. */
function unpack(file: ReadStream, position: PackedPosition): Transform {
  const unpacked = createGunzip();
  const noted = new Transform({
    transform(piece: Buffer, _encoding, done) {
      position.add(piece.length, unpacked.bytesWritten);
      done(null, piece);
    },
  });
  // An error of one stream destroys the next stream. All streams are closed.
  file.on('error', (error) => unpacked.destroy(error));
  unpacked.on('error', (error) => noted.destroy(error));
  noted.on('close', () => unpacked.destroy());
  return file.pipe(unpacked).pipe(noted);
}

/**
 * Streams a file of concatenated RLP blocks, gzipped or not, block by block.
 * @throws RangeError when the file is malformed or ends inside a block
 */
export async function* readBlocks(path: string): AsyncGenerator<FileBlock> {
  const isPacked = await isGzip(path);
  const file = createReadStream(path, { highWaterMark: 1024 * 1024 });
  const position = new PackedPosition();
  const source = isPacked ? unpack(file, position) : file;
  file.on('error', (error) => source.destroy(error));
  let received = 0;
  let offset = 0;
  let pending: Buffer = Buffer.alloc(0);
  /** Minimum size of `pending` at which parsing is retried, bytes. */
  let needed = 1;
  const chunks: Buffer[] = [];
  let buffered = 0;
  try {
    for await (const chunk of source as AsyncIterable<Buffer>) {
      chunks.push(chunk);
      received += chunk.length;
      if (!isPacked) position.add(chunk.length, received);
      buffered += chunk.length;
      if (pending.length + buffered < needed) continue;
      pending = Buffer.concat([pending, ...chunks]);
      chunks.length = 0;
      buffered = 0;
      let at = 0;
      for (;;) {
        const span = readRlpSpan(pending, at, pending.length);
        if (span !== undefined && !span.isList) throw new RangeError('not a file of RLP blocks');
        if (span !== undefined && span.end - at > MAX_ENCODED_BLOCK) {
          throw new RangeError(`a block has ${span.end - at} bytes, max ${MAX_ENCODED_BLOCK}`);
        }
        if (span === undefined || span.end > pending.length) {
          needed = span === undefined ? pending.length - at + 1 : span.end - at;
          break;
        }
        offset += span.end - at;
        yield { encoded: pending.subarray(at, span.end), fileEnd: position.find(offset) };
        at = span.end;
      }
      pending = pending.subarray(at);
    }
  } finally {
    file.destroy();
    source.destroy();
  }
  if (pending.length + buffered > 0) throw new RangeError('the file ends inside a block');
}
