import { ChainError } from '../../chain/errors.ts';
import type { JsonResult } from '../../primitives/json-result.ts';
import type { AnswerMemory } from '../../util/answer-memory.ts';

/** Of a piece, in UTF-16 units. An answer that is no longer is one text. */
const PIECE_LENGTH = 256 * 1024;

/**
 * A JSON value that has to be complete before its first byte is sent, because it may turn out to be an error. What has been written is
 * kept as bytes: outside of the heap of JavaScript, which has a bound of its own.
 */
export class CollectedJson {
  readonly #memory: AnswerMemory;
  readonly #pieces: Uint8Array[] = [];
  /** Bytes of the pieces. */
  #heldBytes = 0;
  #text = '';
  #length = 0;

  constructor(memory: AnswerMemory) {
    this.#memory = memory;
  }

  /** UTF-16 units that have been added. */
  get length(): number {
    return this.#length;
  }

  /** @throws ChainError `busy` when answers of all requests hold as much as they may */
  add(text: string): void {
    this.#text += text;
    this.#length += text.length;
    if (this.#text.length < PIECE_LENGTH) return;
    this.#addPiece();
  }

  /** The value; nothing may be added any more. */
  finish(): JsonResult {
    if (this.#pieces.length === 0) return this.#text;
    this.#addPiece();
    return { pieces: passOn(this.#pieces), cancel: () => {}, heldBytes: this.#heldBytes };
  }

  #addPiece(): void {
    const piece = Buffer.from(this.#text);
    if (!this.#memory.hold(piece.length)) throw new ChainError('busy', 'answers.bytes');
    this.#pieces.push(piece);
    this.#heldBytes += piece.length;
    this.#text = '';
  }
}

async function* passOn(pieces: Uint8Array[]): AsyncGenerator<Uint8Array, void, undefined> {
  for (let piece = pieces.shift(); piece !== undefined; piece = pieces.shift()) yield piece;
}
