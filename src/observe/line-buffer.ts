import type { LogSink } from './logger.ts';

/** A line is written at the latest so long after it was logged, milliseconds. */
const HOLD_MS = 100;
/** Levels `error` and `fatal`: such lines are not held: the process may end. */
const ERROR = /^\{"level":[56]0,/;

/**
 * Puts lines together, so that many of them are one write: where one request in a hundred had a line, writing each took 5.5 %
 * of the processor, and making them less than 2. What is written at once is at most `maxBytes`, but for a line that is longer
 * by itself.
 */
export class LineBuffer implements LogSink {
  readonly #destination: LogSink;
  readonly #maxBytes: number;
  #text = '';
  #bytes = 0;
  #timer: NodeJS.Timeout | undefined;

  constructor(destination: LogSink, maxBytes: number) {
    this.#destination = destination;
    this.#maxBytes = maxBytes;
  }

  write(line: string): void {
    const bytes = Buffer.byteLength(line);
    if (this.#bytes + bytes > this.#maxBytes) this.#flush();
    this.#text += line;
    this.#bytes += bytes;
    if (ERROR.test(line)) this.#flush();
    else this.#timer ??= setTimeout(() => this.#flush(), HOLD_MS).unref();
  }

  /** What has not been written, which is the caller's from now on: for the end of the process. */
  take(): string {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    const text = this.#text;
    this.#text = '';
    this.#bytes = 0;
    return text;
  }

  #flush(): void {
    const text = this.take();
    if (text !== '') this.#destination.write(text);
  }
}
