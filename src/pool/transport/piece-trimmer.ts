import { type Padding, trimZeros } from './padded-quantities.ts';

/**
 * Normalizes a result that is forwarded while it arrives: removes superfluous zeros, and replaces null by `[]`. An incomplete value that may have to
 * be changed is buffered until it is complete.
 */
export class PieceTrimmer {
  /** Buffered beginning of an incomplete value; undefined if there is none. */
  #reserved: Uint8Array | undefined;

  /**
   * Yields the normalized bytes that are complete.
   * @param piece next piece of the result
   * @param base position of the piece in the answer
   * @param padding changes to make, at least those in this piece and in the buffered bytes
   * @param openAt position of an incomplete value that may have to be changed; Infinity if there is none
   */
  *trim(piece: Uint8Array, base: number, padding: Padding, openAt: number): Generator<Uint8Array> {
    const reserved = this.#reserved;
    const end = base + piece.length;
    const limit = Math.min(openAt, end);
    if (reserved === undefined) {
      this.#reserved = undefined;
      yield* emit(piece, base, limit, padding);
    } else {
      const start = base - reserved.length;
      if (limit > start) yield* emit(reserved, start, limit, padding);
      if (limit > base) yield* emit(piece, base, limit, padding);
    }
    this.#reserved = limit < end ? hold(reserved, piece, base, limit) : undefined;
  }

  get holds(): boolean {
    return this.#reserved !== undefined;
  }
}

function* emit(bytes: Uint8Array, base: number, limit: number, padding: Padding): Generator<Uint8Array> {
  const length = limit - base;
  if (length <= 0) return;
  const trimmed = trimZeros(length < bytes.length ? bytes.subarray(0, length) : bytes, base, padding);
  if (trimmed.length > 0) yield trimmed;
}

/** Copies the bytes from position `limit` on: a view of these few bytes would keep the whole piece in memory. */
function hold(reserved: Uint8Array | undefined, piece: Uint8Array, base: number, limit: number): Uint8Array {
  const before =
    reserved === undefined || limit >= base ? [] : [reserved.subarray(limit - base + reserved.length)];
  return Buffer.concat([...before, piece.subarray(Math.max(limit - base, 0))]);
}
