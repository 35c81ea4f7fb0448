/** Shorter pieces are copied into one block: a piece of one byte would retain the whole read that it is a view of. */
const SHORT_BYTES = 16 * 1024;
/** Size of a block in which short pieces are collected. */
const BLOCK_BYTES = 32 * 1024;

/**
 * Pieces of a body in order of arrival. Its memory is at most ten times their sum, plus a read of 128 KiB and a block, however short a node makes
 * its chunks. The first piece, and every one of at least `SHORT_BYTES`, is kept as it is.
 */
export class PieceList {
  readonly #pieces: Uint8Array[] = [];
  /** Memory of the last piece, where that is a copy. */
  #block: Uint8Array | undefined;

  /** Number of pieces; short ones that were merged into one block count as one. */
  get length(): number {
    return this.#pieces.length;
  }

  /** @param piece must not change any more, and may be kept */
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

  /** Returns the bytes of all pieces; those of a single one are not copied. */
  join(): Buffer {
    const [first] = this.#pieces;
    if (this.#pieces.length === 1 && Buffer.isBuffer(first)) return first;
    return Buffer.concat(this.#pieces);
  }

  [Symbol.iterator](): Iterator<Uint8Array> {
    return this.#pieces[Symbol.iterator]();
  }
}
