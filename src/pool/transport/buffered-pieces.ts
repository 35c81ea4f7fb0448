import type { AnswerMemory } from '../../util/answer-memory.ts';
import { BOUNDS } from '../../util/bounds.ts';
import { UpstreamFault } from '../fault.ts';
import { PieceList } from './piece-list.ts';

/**
 * Minimum size of an answer that is counted in the shared memory, bytes. Most answers are too short to be counted, and the bound on calls in flight
 * limits their total size.
 */
export const COUNTED_FROM: number = 16 * 1024;
/** Retry delay if the memory is exhausted, ms; it is short because memory is released as soon as answers are used. */
const RETRY_MS = 100;

/** Buffer of an incomplete answer. The buffered bytes count against the memory that the answers of all nodes share. */
export class BufferedPieces {
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

  /** @throws UpstreamFault if the shared memory has no room for the piece */
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

  /** Drops the buffered pieces, and releases their memory. */
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

/** Creates the fault for exhausted response memory. The fault names a bound of the gateway, and does not count as a failure of the node. */
export function outOfMemory(): UpstreamFault {
  return new UpstreamFault('rateLimited', BOUNDS['nodes.bytes'].says, RETRY_MS, 'nodes.bytes');
}
