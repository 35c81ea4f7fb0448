import type { JsonStream } from '../../../packages/ethereum/primitives/json-result.ts';
import { UpstreamFault } from '../fault.ts';
import { type Padding, trimZeros } from './padded-quantities.ts';

/** Maximum size of one piece of a stream, bytes. */
const PIECE_BYTES = 65_536;

/**
 * The bytes of a message. `subarray` returns a view if the range is inside of one piece, otherwise a copy. The range must be short enough to be
 * copied in one step.
 */
export type AnswerBytes = Pick<Buffer, 'length'> & {
  subarray(start: number, end?: number): Buffer;
};

/** A long message, stored as the pieces in which it arrived. */
export class MessagePieces implements AnswerBytes {
  readonly length: number;
  readonly #pieces: readonly Uint8Array[];

  constructor(pieces: Iterable<Uint8Array>) {
    this.#pieces = [...pieces];
    this.length = this.#pieces.reduce((sum, piece) => sum + piece.length, 0);
  }

  subarray(start: number, end: number = this.length): Buffer {
    const parts = [...this.#cut(start, end)];
    const [first] = parts;
    return parts.length === 1 && Buffer.isBuffer(first) ? first : Buffer.concat(parts);
  }

  /** Streams a range without superfluous zeros of quantities. A piece in which no zeros must be removed is not copied. */
  stream(start: number, end: number, padding: Padding): JsonStream {
    return streamPieces(trimPieces(this.#cut(start, end), start, padding));
  }

  *#cut(start: number, end: number): Generator<Uint8Array> {
    let base = 0;
    for (const piece of this.#pieces) {
      if (base >= end) return;
      const part = piece.subarray(Math.max(start - base, 0), end - base);
      if (part.length > 0) yield part;
      base += piece.length;
    }
  }
}

function* trimPieces(pieces: Iterable<Uint8Array>, start: number, padding: Padding): Generator<Uint8Array> {
  let base = start;
  for (const piece of pieces) {
    yield trimZeros(piece, base, padding);
    base += piece.length;
  }
}

/** Returns a stream over bytes that have completely arrived. The pieces of the stream are views of these bytes, not copies. */
export function streamPieces(pieces: Iterable<Uint8Array>): JsonStream {
  let isCancelled = false;
  async function* cutPieces(): AsyncGenerator<Uint8Array, void, undefined> {
    for (const bytes of pieces)
      for (let at = 0; at < bytes.length; at += PIECE_BYTES) {
        if (isCancelled) throw new UpstreamFault('aborted', 'the result is no longer needed');
        yield bytes.subarray(at, at + PIECE_BYTES);
      }
  }
  return {
    pieces: cutPieces(),
    cancel: () => {
      isCancelled = true;
    },
  };
}
