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

/** Decoded bytes come in pieces of at most this size, so a bound on their sum is never passed by more. */
const PIECE_BYTES = 65_536;
/** Honest receipts reach 435; deflate, which reaches 1,032, comes near that only for what is made to burst. Brotli and zstd have no such limit. */
const MAX_DEFLATE_RATIO = 700;
/** Decoded bytes from which on the ratio is looked at. */
const RATIO_FROM_BYTES = 4 * 1024 * 1024;

/** zstd, which Node.js has from 22.15 on. */
type ZstdDecompress = Transform & { readonly bytesWritten: number };
const createZstd = (zlib as { readonly createZstdDecompress?: (options: zlib.ZlibOptions) => ZstdDecompress })
  .createZstdDecompress;

/** A stream that undoes a `content-encoding`. */
export type Decompressor = {
  readonly stream: Gunzip | Inflate | BrotliDecompress | ZstdDecompress;
  /** The highest ratio of decoded to encoded bytes that is believed. */
  readonly maxRatio: number;
};

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

/** The stream that undoes a `content-encoding`; undefined for those that nodes have no reason to use. */
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
