import type { JsonResult } from '../../../../packages/ethereum/primitives/json-result.ts';
import { ChainError } from '../../../chain/errors.ts';
import type { AnswerMemory } from '../../../util/answer-memory.ts';

/** Text length from which a piece is stored as bytes, UTF-16 units; a shorter value is returned as one string. */
const PIECE_LENGTH = 256 * 1024;

/**
 * Buffers a whole JSON value before its first byte is sent, so that an error can still replace it. Complete pieces are stored as bytes outside the
 * JavaScript heap, because the heap has its own limit.
 */
export class CollectedJson {
  readonly #memory: AnswerMemory;
  readonly #pieces: Uint8Array[] = [];
  /** Total bytes of the pieces. */
  #reservedBytes = 0;
  #text = '';
  #length = 0;

  constructor(memory: AnswerMemory) {
    this.#memory = memory;
  }

  /** Total length of all parts that `add` has received, UTF-16 units. */
  get length(): number {
    return this.#length;
  }

  /** @throws ChainError `busy` when the buffered answers of all requests reach the memory limit */
  add(text: string): void {
    this.#text += text;
    this.#length += text.length;
    if (this.#text.length < PIECE_LENGTH) return;
    this.#addPiece();
  }

  /** Returns the buffered value; `add` must not be called afterwards. */
  finish(): JsonResult {
    if (this.#pieces.length === 0) return this.#text;
    this.#addPiece();
    return { pieces: passOn(this.#pieces), cancel: () => {}, reservedBytes: this.#reservedBytes };
  }

  #addPiece(): void {
    const piece = Buffer.from(this.#text);
    if (!this.#memory.hold(piece.length)) throw new ChainError('busy', 'answers.bytes');
    this.#pieces.push(piece);
    this.#reservedBytes += piece.length;
    this.#text = '';
  }
}

async function* passOn(pieces: Uint8Array[]): AsyncGenerator<Uint8Array, void, undefined> {
  for (let piece = pieces.shift(); piece !== undefined; piece = pieces.shift()) yield piece;
}
