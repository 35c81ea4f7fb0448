import type { Transform } from 'node:stream';
import { createBrotliDecompress, createGunzip, createInflate } from 'node:zlib';

/** Decoded bytes come in pieces of at most this size, so a bound on their sum is never passed by more. */
const PIECE_BYTES = 65_536;
/** Receipts full of empty blooms shrink to a hundredth; only what is made to burst shrinks to a thousandth. */
const MAX_RATIO = 250;
/** Bytes from which on the ratio is looked at. */
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

/** Counts what it has read so far: what it was given may be much more. */
type Decoder = Transform & { readonly bytesWritten: number };

/** Decodes a compression that was not asked for, piece by piece and only as fast as the pieces are taken. */
export class ContentDecoder {
  readonly #transform: Decoder;
  readonly #source: EncodedSource;
  #decodedBytes = 0;

  constructor(transform: Decoder, sink: DecodedSink, source: EncodedSource) {
    this.#transform = transform;
    this.#source = source;
    transform.on('data', (piece: Buffer) => {
      this.#decodedBytes += piece.length;
      if (this.#bursts) sink.failDecoding();
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

  get #bursts(): boolean {
    const { bytesWritten } = this.#transform;
    return this.#decodedBytes > RATIO_FROM_BYTES && this.#decodedBytes > MAX_RATIO * bytesWritten;
  }
}

/** The stream that undoes a `content-encoding`; undefined for those that nodes have no reason to use. */
export function createTransform(encoding: string): Decoder | undefined {
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
