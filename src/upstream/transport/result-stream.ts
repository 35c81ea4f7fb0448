import type { JsonStream } from '../../primitives/json-result.ts';
import { UpstreamFault } from '../fault.ts';
import { PieceList } from './piece-list.ts';

/** What may wait for the consumer before the source is paused. */
const HIGH_WATER_BYTES = 65_536;

/** Where the pieces of a result come from. */
export interface ResultSource {
  pause(): void;
  /** A reader waits for more. */
  resume(): void;
  cancel(): void;
}

type Waiter = {
  readonly resolve: (piece: IteratorResult<Uint8Array, undefined>) => void;
  readonly reject: (fault: UpstreamFault) => void;
};

/**
 * A result on its way through. The last piece is held back until the whole answer is known to be good, so a reader
 * that got everything got a valid value.
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

  /** Whether the consumer waits for bytes that have not come yet. */
  get isWaitedFor(): boolean {
    return this.#waiter !== undefined;
  }

  push(piece: Uint8Array): void {
    if (this.#fault !== undefined || piece.length === 0) return;
    // What waits is not the last piece any more: it is handed out before a short one is put to it.
    if (this.#waiting.length > 0) this.#serve();
    this.#waiting.push(piece);
    this.#waitingBytes += piece.length;
    if (this.#waiter === undefined && this.#waitingBytes >= HIGH_WATER_BYTES) this.#source.pause();
  }

  /** The answer has been read to its end and is valid. */
  complete(): void {
    this.#isComplete = true;
    this.#serve();
  }

  /** The answer cannot be completed: nothing more is handed out. */
  fail(fault: UpstreamFault): void {
    if (this.#isComplete || this.#fault !== undefined) return;
    this.#fault = fault;
    this.#waiting.clear();
    const waiter = this.#waiter;
    this.#waiter = undefined;
    waiter?.reject(fault);
  }

  /** Also of a complete answer: a reader that goes on must not take what it has for all of it. */
  cancel(): void {
    const isOpen = !this.#isComplete && this.#fault === undefined;
    this.#isComplete = false;
    this.fail(new UpstreamFault('aborted', 'the result is not wanted any more'));
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
