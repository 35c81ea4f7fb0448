import { write, writeSync } from 'node:fs';
import { readErrorCode } from '../util/system-error.ts';
import type { LogSink } from './logger.ts';

export type FileSinkOptions = {
  /** Maximum bytes waiting to be written; the excess is dropped. */
  readonly maxBytes: number;
  /** Maximum bytes that one write passes to the system. */
  readonly maxWrite: number;
};

/** Delay between retries while a reader is slow, ms. */
const RETRY_MS = 50;
/** Maximum wait for a slow reader at process exit, ms. */
const END_MS = 1_000;

/**
 * Writes to a file descriptor without blocking, and never throws. Bytes that could not be written, for example to a full disk, are retried with the
 * next write. At process exit the sink tries to write the remaining bytes synchronously, within a time limit.
 */
export class FileSink implements LogSink {
  readonly #file: number;
  readonly #options: FileSinkOptions;
  #waiting: Buffer[] = [];
  #bytes = 0;
  /** Bytes of the write in progress. */
  #inFlight: Buffer | undefined;
  #retry: NodeJS.Timeout | undefined;

  constructor(file: number, options: FileSinkOptions) {
    this.#file = file;
    this.#options = options;
  }

  write(text: string): void {
    const bytes = Buffer.from(text);
    const { maxBytes, maxWrite } = this.#options;
    if (this.#bytes + bytes.length > maxBytes) return;
    this.#bytes += bytes.length;
    for (let at = 0; at < bytes.length; at += maxWrite) this.#waiting.push(bytes.subarray(at, at + maxWrite));
    this.#writeNext();
  }

  /** Writes the waiting bytes before the process exits. The operating system completes a write that is already in progress. */
  end(text: string): void {
    clearTimeout(this.#retry);
    const pieces = [...this.#waiting, Buffer.from(text)];
    this.#waiting = [];
    const until = performance.now() + END_MS;
    for (const piece of pieces) {
      if (!this.#writeNow(piece, until)) return;
    }
  }

  #writeNext(): void {
    if (this.#inFlight !== undefined || this.#retry !== undefined) return;
    const piece = this.#waiting.shift();
    if (piece === undefined) return;
    this.#inFlight = piece;
    write(this.#file, piece, 0, piece.length, null, (error, written) => {
      this.#inFlight = undefined;
      const done = error === null ? written : 0;
      this.#bytes -= done;
      if (done < piece.length) this.#waiting.unshift(piece.subarray(done));
      if (error === null) this.#writeNext();
      else if (readErrorCode(error) === 'EAGAIN') this.#writeLater();
    });
  }

  #writeLater(): void {
    this.#retry = setTimeout(() => {
      this.#retry = undefined;
      this.#writeNext();
    }, RETRY_MS).unref();
  }

  /** @returns false if the bytes cannot be written, or not in time */
  #writeNow(piece: Buffer, until: number): boolean {
    for (let at = 0; at < piece.length; ) {
      try {
        at += writeSync(this.#file, piece, at);
      } catch (error) {
        if (readErrorCode(error) !== 'EAGAIN' || performance.now() > until) return false;
        Atomics.wait(PAUSE, 0, 0, RETRY_MS);
      }
    }
    return true;
  }
}

/** `Atomics.wait` on this array sleeps until its timeout, because nothing notifies the array. */
const PAUSE = new Int32Array(new SharedArrayBuffer(4));
