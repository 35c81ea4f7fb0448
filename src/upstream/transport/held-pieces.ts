import type { AnswerMemory } from '../../util/answer-memory.ts';
import { BOUNDS } from '../../util/bounds.ts';
import { UpstreamFault } from '../fault.ts';
import { PieceList } from './piece-list.ts';

/** A shorter answer is not counted: most are, and there are no more of them than calls in flight. */
export const COUNTED_FROM: number = 16 * 1024;
/** The memory is given back as soon as answers are taken. */
const RETRY_MS = 100;

/** An answer that is held until it is complete, counted in the memory that answers of all nodes share. */
export class HeldPieces {
  readonly #open: () => AnswerMemory;
  readonly #pieces = new PieceList();
  #memory: AnswerMemory | undefined;
  #bytes = 0;

  constructor(open: () => AnswerMemory) {
    this.#open = open;
  }

  get pieces(): Iterable<Uint8Array> {
    return this.#pieces;
  }

  /** @throws UpstreamFault when there is no room for it */
  push(piece: Buffer): void {
    this.#bytes += piece.length;
    if (this.#memory !== undefined) this.#hold(piece.length);
    else if (this.#bytes > COUNTED_FROM) {
      this.#memory = this.#open();
      this.#hold(this.#bytes);
    }
    this.#pieces.push(piece);
  }

  join(): Buffer {
    return this.#pieces.join();
  }

  /** Drops what is held, and gives its memory back. */
  clear(): void {
    this.#pieces.clear();
    this.#memory?.release();
    this.#memory = undefined;
    this.#bytes = 0;
  }

  #hold(bytes: number): void {
    if (this.#memory?.hold(bytes) !== false) return;
    throw outOfMemory();
  }
}

/** Answers of nodes hold all that they may: our own bound, and no fault of the node. */
export function outOfMemory(): UpstreamFault {
  return new UpstreamFault('rateLimited', BOUNDS['nodes.bytes'].says, RETRY_MS, 'nodes.bytes');
}
