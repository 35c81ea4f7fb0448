import { write, writeSync } from 'node:fs';
import { readErrorCode } from '../util/system-error.ts';
import type { LogSink } from './logger.ts';

export type FileSinkOptions = {
  /** Bytes that wait to be written; what exceeds it is dropped. */
  readonly maxBytes: number;
  /** Bytes of one write. */
  readonly maxWrite: number;
};

/** Between two attempts where a reader is slow, milliseconds. */
const RETRY_MS = 50;
/** How long the end of a process waits for a slow reader, milliseconds. */
const END_MS = 1_000;

/**
 * Writes to a file descriptor without waiting. What cannot be written (a full disk) is tried again with what comes next;
 * nothing is thrown. The end of the process tries what is left once: the time it takes is bounded, whatever fails.
 */
export class FileSink implements LogSink {
  readonly #file: number;
  readonly #options: FileSinkOptions;
  #waiting: Buffer[] = [];
  #bytes = 0;
  /** Taken from what waits, until it is written. */
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

  /** Writes what waits before the process ends. A write in flight is the system's to finish. */
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

  /** @returns false where it cannot be written, or not in time */
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

/** Nothing wakes what waits for it. */
const PAUSE = new Int32Array(new SharedArrayBuffer(4));
