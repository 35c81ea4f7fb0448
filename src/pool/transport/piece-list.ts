/**
 * Minimum size of a piece that is stored without a copy, bytes. A shorter piece is copied into a block: a view of a few bytes would keep the memory
 * of the whole read.
 */
const SHORT_BYTES = 16 * 1024;
/** Size of a block in which short pieces are collected, bytes. */
const BLOCK_BYTES = 32 * 1024;

/**
 * Pieces of a body in order of arrival. Whatever the size of the chunks, the memory used is at most ten times the total length of the pieces, plus
 * one read of 128 KiB and one block. The first piece, and every piece of at least `SHORT_BYTES`, is stored without a copy.
 */
export class PieceList {
  readonly #pieces: Uint8Array[] = [];
  /** Block that contains the last piece, if that piece is a copy. */
  #block: Uint8Array | undefined;

  /** Number of stored pieces; short pieces in one block count as one. */
  get length(): number {
    return this.#pieces.length;
  }

  /** @param piece bytes that may be stored without a copy, so the caller must not change them */
  push(piece: Uint8Array): void {
    const last = this.#pieces.length - 1;
    if (last < 0 || piece.length >= SHORT_BYTES) {
      this.#block = undefined;
      this.#pieces.push(piece);
      return;
    }
    const used = this.#block === undefined ? 0 : (this.#pieces[last] as Uint8Array).length;
    if (this.#block !== undefined && used + piece.length <= BLOCK_BYTES) {
      this.#block.set(piece, used);
      this.#pieces[last] = this.#block.subarray(0, used + piece.length);
      return;
    }
    this.#block = Buffer.allocUnsafeSlow(BLOCK_BYTES);
    this.#block.set(piece);
    this.#pieces.push(this.#block.subarray(0, piece.length));
  }

  /** Removes and returns the first piece. */
  shift(): Uint8Array | undefined {
    const piece = this.#pieces.shift();
    if (this.#pieces.length === 0) this.#block = undefined;
    return piece;
  }

  clear(): void {
    this.#pieces.length = 0;
    this.#block = undefined;
  }

  /** Returns the bytes of all pieces as one buffer. A single piece is returned without a copy. */
  join(): Buffer {
    const [first] = this.#pieces;
    if (this.#pieces.length === 1 && Buffer.isBuffer(first)) return first;
    return Buffer.concat(this.#pieces);
  }

  [Symbol.iterator](): Iterator<Uint8Array> {
    return this.#pieces[Symbol.iterator]();
  }
}
