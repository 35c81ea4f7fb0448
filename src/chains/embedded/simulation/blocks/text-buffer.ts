import type { HexData } from '../../../../../packages/ethereum/primitives/hex-data.ts';
import { ChainError } from '../../../../chain/errors.ts';

/** Text length at which the collected text is converted to bytes, UTF-16 units. */
const PIECE_LENGTH: number = 64 * 1024;
/** Maximum size of a result, bytes. */
export const MAX_RESULT_BYTES: number = 64 << 20;

/** A long text that is built part by part and stored as bytes. */
export class TextBuffer {
  readonly #pieces: Uint8Array[] = [];
  #text = '';
  #size = 0;

  /** Size of the buffered text, bytes. */
  get size(): number {
    return this.#size + this.#text.length;
  }

  /** Returns whether the last added part completed a piece, which was then converted to bytes. */
  get isPieceFull(): boolean {
    return this.#text.length === 0 && this.#pieces.length > 0;
  }

  /** @throws ChainError when the result is too long */
  add(part: string): void {
    this.#text += part;
    if (this.#text.length >= PIECE_LENGTH) this.#flush();
  }

  /** Returns the text as a string, or as bytes if it has at least `PIECE_LENGTH` units. */
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
