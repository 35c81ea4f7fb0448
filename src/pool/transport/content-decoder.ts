import type { Transform } from 'node:stream';
import * as zlib from 'node:zlib';
import {
  type BrotliDecompress,
  createBrotliDecompress,
  createGunzip,
  createInflate,
  type Gunzip,
  type Inflate,
} from 'node:zlib';

/** Maximum size of a decoded piece, bytes: a bound on the sum of pieces is exceeded by at most this size. */
const PIECE_BYTES = 65_536;
/**
 * Real receipts reach a ratio of 435. Deflate reaches at most 1,032, and only decompression bombs come near this ratio. Brotli and zstd have no such
 * limit.
 */
const MAX_DEFLATE_RATIO = 700;
/** Number of decoded bytes from which the ratio is checked. */
const RATIO_FROM_BYTES = 4 * 1024 * 1024;

/** Decoder of zstd, available since Node.js 22.15. */
type ZstdDecompress = Transform & { readonly bytesWritten: number };
const createZstd = (zlib as { readonly createZstdDecompress?: (options: zlib.ZlibOptions) => ZstdDecompress })
  .createZstdDecompress;

/** A stream that decodes a `content-encoding`. */
export type Decompressor = {
  readonly stream: Gunzip | Inflate | BrotliDecompress | ZstdDecompress;
  /** Maximum accepted ratio of decoded to encoded bytes. */
  readonly maxRatio: number;
};

/** Receiver of decoded pieces. */
export interface DecodedSink {
  takeDecoded(piece: Buffer): void;
  endDecoded(): void;
  failDecoding(): void;
}

/** Source of the encoded bytes. */
export interface EncodedSource {
  pause(): void;
  resume(): void;
}

/**
 * Decodes a response that is compressed although no compression was requested. It decodes piece by piece, and only as fast as the pieces are taken.
 * The reader limits the decoded size.
 */
export class ContentDecoder {
  readonly #transform: Decompressor['stream'];
  readonly #source: EncodedSource;

  constructor({ stream: transform, maxRatio }: Decompressor, sink: DecodedSink, source: EncodedSource) {
    this.#transform = transform;
    this.#source = source;
    let decoded = 0;
    transform.on('data', (piece: Buffer) => {
      decoded += piece.length;
      if (decoded > RATIO_FROM_BYTES && decoded > maxRatio * transform.bytesWritten) sink.failDecoding();
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

/** Returns the stream that decodes a `content-encoding`; undefined for encodings that nodes have no reason to use. */
export function createDecompressor(encoding: string): Decompressor | undefined {
  const options = { chunkSize: PIECE_BYTES };
  switch (encoding.trim().toLowerCase()) {
    case 'gzip':
    case 'x-gzip':
      return { stream: createGunzip(options), maxRatio: MAX_DEFLATE_RATIO };
    case 'deflate':
      return { stream: createInflate(options), maxRatio: MAX_DEFLATE_RATIO };
    case 'br':
      return { stream: createBrotliDecompress(options), maxRatio: Number.POSITIVE_INFINITY };
    case 'zstd':
      return createZstd && { stream: createZstd(options), maxRatio: Number.POSITIVE_INFINITY };
    default:
      return undefined;
  }
}
