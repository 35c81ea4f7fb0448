type Piece = { readonly length: number; readonly fileEnd: number };

/** Maps offsets in decompressed contents to offsets in the compressed file, linearly within each decompressed piece. */
export class PackedPosition {
  readonly #pieces: Piece[] = [];
  /** Offset of the first piece in the contents and in the file, bytes. */
  #start = 0;
  #fileStart = 0;

  /**
   * Records a decompressed piece.
   * @param length bytes of the piece
   * @param fileEnd bytes of the file that were read up to the end of the piece
   */
  add(length: number, fileEnd: number): void {
    this.#pieces.push({ length, fileEnd });
  }

  /** Returns the file offset for an offset in the contents, bytes. Offsets must not decrease between calls. */
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
