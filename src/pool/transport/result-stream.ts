import type { JsonStream } from '../../../packages/ethereum/primitives/json-result.ts';
import { UpstreamFault } from '../fault.ts';
import { PieceList } from './piece-list.ts';

/** Number of buffered bytes at which the source is paused. */
const HIGH_WATER_BYTES = 65_536;

/** Source of the pieces of a result. */
export interface ResultSource {
  pause(): void;
  /** Resumes the source, because a reader waits for more bytes. */
  resume(): void;
  cancel(): void;
}

type Waiter = {
  readonly resolve: (piece: IteratorResult<Uint8Array, undefined>) => void;
  readonly reject: (fault: UpstreamFault) => void;
};

/**
 * A result that is forwarded while it arrives. The last piece is withheld until the whole answer is valid, so that a stream which ends normally is
 * always a valid value.
 */
export class ResultStream implements JsonStream {
  readonly pieces: AsyncIterable<Uint8Array>;
  readonly #source: ResultSource;
  readonly #waiting = new PieceList();
  #waitingBytes = 0;
  #waiter: Waiter | undefined;
  #isComplete = false;
  #fault: UpstreamFault | undefined;

  constructor(source: ResultSource) {
    this.#source = source;
    const iterator: AsyncIterator<Uint8Array, undefined> = {
      next: () => this.#next(),
      return: async () => {
        this.cancel();
        return { done: true, value: undefined };
      },
    };
    this.pieces = { [Symbol.asyncIterator]: () => iterator };
  }

  /** Whether the consumer waits for bytes that have not arrived yet. */
  get isWaitedFor(): boolean {
    return this.#waiter !== undefined;
  }

  push(piece: Uint8Array): void {
    if (this.#fault !== undefined || piece.length === 0) return;
    // The buffered piece can be delivered, because it is no longer the last piece of the result. A buffered piece must be delivered before a new
    // piece is added to the buffer.
    if (this.#waiting.length > 0) this.#serve();
    this.#waiting.push(piece);
    this.#waitingBytes += piece.length;
    if (this.#waiter === undefined && this.#waitingBytes >= HIGH_WATER_BYTES) this.#source.pause();
  }

  /** Records that the answer has been read to its end and is valid. */
  complete(): void {
    this.#isComplete = true;
    this.#serve();
  }

  /** Records that the answer cannot be completed: nothing more is delivered. */
  fail(fault: UpstreamFault): void {
    if (this.#isComplete || this.#fault !== undefined) return;
    this.#fault = fault;
    this.#waiting.clear();
    const waiter = this.#waiter;
    this.#waiter = undefined;
    waiter?.reject(fault);
  }

  /**
   * Cancels the stream, even if its answer is complete. If the consumer reads on, it gets an error, so that it cannot mistake the delivered pieces
   * for the whole result.
   */
  cancel(): void {
    const isOpen = !this.#isComplete && this.#fault === undefined;
    this.#isComplete = false;
    this.fail(new UpstreamFault('aborted', 'the result is no longer needed'));
    this.#waiting.clear();
    if (isOpen) this.#source.cancel();
  }

  #next(): Promise<IteratorResult<Uint8Array, undefined>> {
    if (this.#fault !== undefined) return Promise.reject(this.#fault);
    return new Promise((resolve, reject) => {
      this.#waiter = { resolve, reject };
      if (this.#waiting.length > 1 || this.#isComplete) this.#serve();
      else this.#source.resume();
    });
  }

  #serve(): void {
    const waiter = this.#waiter;
    if (waiter === undefined) return;
    this.#waiter = undefined;
    const piece = this.#waiting.shift();
    this.#waitingBytes -= piece?.length ?? 0;
    waiter.resolve(piece === undefined ? { done: true, value: undefined } : { done: false, value: piece });
  }
}
