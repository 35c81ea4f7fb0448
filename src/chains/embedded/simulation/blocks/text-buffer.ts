import type { HexData } from '../../../../../packages/ethereum/primitives/hex-data.ts';
import { ChainError } from '../../../../chain/errors.ts';

/** UTF-16 units that are collected before they are converted to bytes. */
const PIECE_LENGTH: number = 64 * 1024;
/** Maximum size of a result, bytes. */
export const MAX_RESULT_BYTES: number = 64 << 20;

/** A long text that is built part by part and stored as bytes. */
export class TextBuffer {
  readonly #pieces: Uint8Array[] = [];
  #text = '';
  #size = 0;

  /** Buffered size, bytes. */
  get size(): number {
    return this.#size + this.#text.length;
  }

  /** Returns whether the last part completed a piece. */
  get isPieceFull(): boolean {
    return this.#text.length === 0 && this.#pieces.length > 0;
  }

  /** @throws ChainError when the result is too long */
  add(part: string): void {
    this.#text += part;
    if (this.#text.length >= PIECE_LENGTH) this.#flush();
  }

  /** Returns the text; a long text is returned as bytes. */
  take(): HexData {
    if (this.#pieces.length === 0) return this.#text;
    this.#flush();
    return Buffer.concat(this.#pieces);
  }

  #flush(): void {
    const piece = Buffer.from(this.#text);
    this.#text = '';
    this.#size += piece.length;
    if (this.#size > MAX_RESULT_BYTES) {
      throw new ChainError('failed', `the result is larger than ${MAX_RESULT_BYTES} bytes`);
    }
    this.#pieces.push(piece);
  }
}
