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

/** Maximum size of a decoded piece, bytes; a bound on the decoded size is exceeded by at most one piece. */
const PIECE_BYTES = 65_536;
/**
 * Maximum accepted ratio of decoded to encoded bytes for deflate. Real receipts have a ratio of up to 435. Only decompression bombs come near 1,032,
 * the maximum of deflate. Brotli and zstd have no maximum.
 */
const MAX_DEFLATE_RATIO = 700;
/** Number of decoded bytes from which the ratio is checked. */
const RATIO_FROM_BYTES = 4 * 1024 * 1024;

/** Decoder of zstd, available since Node.js 22.15. */
type ZstdDecompress = Transform & { readonly bytesWritten: number };
const createZstd = (zlib as { readonly createZstdDecompress?: (options: zlib.ZlibOptions) => ZstdDecompress })
  .createZstdDecompress;

/** Stream that decodes a Content-Encoding, with its maximum ratio. */
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
 * Decodes a response that is compressed although no compression was requested. Decodes piece by piece, with backpressure to the source. The reader of
 * the pieces limits the decoded size.
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

/** Returns the decoder of a Content-Encoding; undefined if the encoding is not supported. */
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
