import type { Transform } from 'node:stream';
import { createBrotliDecompress, createGunzip, createInflate } from 'node:zlib';

/** Decoded bytes come in pieces of at most this size, so a bound on their sum is never passed by more. */
const PIECE_BYTES = 65_536;
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

/** Decodes a compression that was not asked for, piece by piece and only as fast as the pieces are taken. The reader bounds what comes out, whatever the ratio. */
export class ContentDecoder {
  readonly #transform: Transform;
  readonly #source: EncodedSource;

  constructor(transform: Transform, sink: DecodedSink, source: EncodedSource) {
    this.#transform = transform;
    this.#source = source;
    transform.on('data', (piece: Buffer) => sink.takeDecoded(piece));
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
