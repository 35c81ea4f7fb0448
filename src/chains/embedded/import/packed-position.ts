type Piece = { readonly length: number; readonly fileEnd: number };

/** Maps offsets in decompressed contents to offsets in the compressed file; interpolates linearly within each decompressed piece. */
export class PackedPosition {
  readonly #pieces: Piece[] = [];
  /** Offset of the first remaining piece in the decompressed contents, and its offset in the compressed file, bytes. */
  #start = 0;
  #fileStart = 0;

  /**
   * Records a decompressed piece.
   * @param length bytes of the piece
   * @param fileEnd offset in the compressed file at which the piece ends, bytes
   */
  add(length: number, fileEnd: number): void {
    this.#pieces.push({ length, fileEnd });
  }

  /** Returns the offset in the compressed file for an offset in the decompressed contents, bytes. Offsets must not decrease between calls. */
  find(offset: number): number {
    for (;;) {
      const piece = this.#pieces[0];
      if (piece === undefined) return this.#fileStart;
      const { length, fileEnd } = piece;
      const inside = offset - this.#start;
      if (inside < length) return this.#fileStart + ((fileEnd - this.#fileStart) * inside) / length;
      this.#start += length;
      this.#fileStart = fileEnd;
      this.#pieces.shift();
    }
  }
}
