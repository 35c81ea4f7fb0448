import type { Transform } from 'node:stream';
import { createBrotliDecompress, createGunzip, createInflate } from 'node:zlib';

/** Decoded bytes come in pieces of at most this size, so a bound on their sum is never passed by more. */
const PIECE_BYTES = 65_536;
/** Honest receipts reach 435; deflate, which reaches 1,032, comes near that only for what is made to burst. Brotli has no such limit. */
const MAX_DEFLATE_RATIO = 700;
/** Decoded bytes from which on the ratio is looked at. */
const RATIO_FROM_BYTES = 4 * 1024 * 1024;

/** What a decoder reports to. */
export interface DecodedSink {
  takeDecoded(piece: Buffer): void;
  endDecoded(): void;
  failDecoding(): void;
}

/** Where the encoded bytes come from. */
export interface EncodedSource {
  pause(): void;
  resume(): void;
}

/** Decodes a compression that was not asked for, piece by piece and only as fast as the pieces are taken. The reader bounds what comes out. */
export class ContentDecoder {
  readonly #transform: Transform;
  readonly #source: EncodedSource;

  constructor(transform: Transform, sink: DecodedSink, source: EncodedSource) {
    this.#transform = transform;
    this.#source = source;
    let decoded = 0;
    const isDeflate = transform.constructor.name !== 'BrotliDecompress';
    transform.on('data', (piece: Buffer) => {
      decoded += piece.length;
      const { bytesWritten } = transform as Transform & { readonly bytesWritten: number };
      if (isDeflate && decoded > RATIO_FROM_BYTES && decoded > MAX_DEFLATE_RATIO * bytesWritten)
        sink.failDecoding();
      else sink.takeDecoded(piece);
    });
    transform.on('end', () => sink.endDecoded());
    transform.on('error', () => sink.failDecoding());
    transform.on('drain', () => source.resume());
  }

  write(chunk: Buffer): void {
    if (!this.#transform.write(chunk)) this.#source.pause();
  }

  end(): void {
    this.#transform.end();
  }

  pause(): void {
    this.#transform.pause();
  }

  resume(): void {
    this.#transform.resume();
  }

  destroy(): void {
    this.#transform.destroy();
  }
}

/** The stream that undoes a `content-encoding`; undefined for those that nodes have no reason to use. */
export function createTransform(encoding: string): Transform | undefined {
  switch (encoding.trim().toLowerCase()) {
    case 'gzip':
    case 'x-gzip':
      return createGunzip({ chunkSize: PIECE_BYTES });
    case 'deflate':
      return createInflate({ chunkSize: PIECE_BYTES });
    case 'br':
      return createBrotliDecompress({ chunkSize: PIECE_BYTES });
    default:
      return undefined;
  }
}
