import { type Padding, trimZeros } from './padded-quantities.ts';

/** Takes zeros out of a result that is handed on while it comes in. A quantity that is not complete is held back. */
export class PieceTrimmer {
  /** The beginning of a quantity whose end has not come. */
  #held: Uint8Array | undefined;

  /**
   * @param piece of the result, each behind the one before
   * @param base where it begins in the answer
   * @param padding zeros that are left out, at least those in this piece and in what is held back
   * @param openAt where a text begins that may turn out to be a quantity with zeros to leave out; Infinity where none is open
   */
  *trim(piece: Uint8Array, base: number, padding: Padding, openAt: number): Generator<Uint8Array> {
    const held = this.#held;
    const end = base + piece.length;
    const limit = Math.min(openAt, end);
    if (held === undefined) {
      this.#held = undefined;
      yield* emit(piece, base, limit, padding);
    } else {
      const start = base - held.length;
      if (limit > start) yield* emit(held, start, limit, padding);
      if (limit > base) yield* emit(piece, base, limit, padding);
    }
    this.#held = limit < end ? hold(held, piece, base, limit) : undefined;
  }

  get holds(): boolean {
    return this.#held !== undefined;
  }
}

function* emit(bytes: Uint8Array, base: number, limit: number, padding: Padding): Generator<Uint8Array> {
  const length = limit - base;
  if (length <= 0) return;
  const trimmed = trimZeros(length < bytes.length ? bytes.subarray(0, length) : bytes, base, padding);
  if (trimmed.length > 0) yield trimmed;
}

/** What comes from `limit` on: in memory of its own, since it is short. */
function hold(held: Uint8Array | undefined, piece: Uint8Array, base: number, limit: number): Uint8Array {
  const before = held === undefined || limit >= base ? [] : [held.subarray(limit - base + held.length)];
  return Buffer.concat([...before, piece.subarray(Math.max(limit - base, 0))]);
}
