type Piece = { readonly length: number; readonly fileEnd: number };

/** Which place of a packed file a place of its contents comes from: in proportion inside of each piece that was unpacked. */
export class PackedPosition {
  readonly #pieces: Piece[] = [];
  /** Where the first of the pieces begins, in the contents and in the file. */
  #start = 0;
  #fileStart = 0;

  /** @param fileEnd bytes of the file that the contents up to the end of this piece were unpacked from */
  add(length: number, fileEnd: number): void {
    this.#pieces.push({ length, fileEnd });
  }

  /** The place in the file, bytes, of a place in the contents. Places are asked for in rising order. */
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
