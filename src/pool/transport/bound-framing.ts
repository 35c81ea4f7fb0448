import type { Socket } from 'node:net';
import { excessive } from './answer-shape.ts';

/** Allowed framing bytes of one answer, in addition to `FRAMING_PER_BYTE`: heads, interim (1xx) answers, chunk sizes and extensions, trailers. */
const FRAMING_BYTES = 128 * 1024;
/** Allowed framing bytes per body byte; chunks of a few bytes need this many. */
const FRAMING_PER_BYTE = 8;
/** Maximum size of one head or trailer, bytes; equal to the default of Node.js HTTP. */
const HEAD_BYTES = 16 * 1024;
/**
 * Maximum size of a piece of a head or trailer that the parser gets at once, bytes. The parser calls back for each field, and a piece has at most 500
 * fields.
 */
const HEAD_PIECE = 2 * 1024;
const HEAD_END = Buffer.from('\r\n\r\n');
/**
 * Beginning of the last chunk of a body, which has size 0 and may be followed by a trailer. If other data contains the same bytes, a piece only
 * becomes shorter than necessary.
 */
const LAST_CHUNK = Buffer.from('\n0');
const [NEWLINE, ZERO] = LAST_CHUNK as unknown as readonly [number, number];
/** Maximum time to read from all nodes in one iteration of the event loop, ms. */
const SLOT_MS = 4;

/** Minimum size of a read that is timed, bytes; for shorter reads, reading the clock would cost more than the read. */
const TIMED_BYTES = 16_384;

/**
 * Counters that `HttpRequest` updates in the callbacks of the HTTP client. The HTTP client parses the bytes of one `read` synchronously, before it
 * calls `read` again. A counter that changes between two calls therefore belongs to the socket of the first call.
 */
export const PARSED = {
  bodyBytes: 0,
  answers: 0,
  /** Number of heads of final answers. `isSized` is true if the last head had a Content-Length; no trailer can follow such a body. */
  heads: 0,
  isSized: false,
};

/**
 * Reading time per iteration of the event loop. All sockets share one reading time, because libuv serves all sockets that have data in one iteration.
 */
class ReadingTime {
  #slotEnd = 0;
  /** Sockets whose data must wait for the next iteration; the socket that has waited longest is first. */
  #withheld = new Set<Socket>();

  isOver(): boolean {
    const now = performance.now();
    if (this.#slotEnd > 0) return now > this.#slotEnd;
    this.#slotEnd = now + SLOT_MS;
    setImmediate(() => this.#beginTurn());
    return false;
  }

  holdBack(socket: Socket): void {
    this.#withheld.add(socket);
  }

  #beginTurn(): void {
    this.#slotEnd = 0;
    const waiting = [...this.#withheld];
    this.#withheld.clear();
    let read = 0;
    while (read < waiting.length && !this.isOver()) waiting[read++]?.emit('readable');
    if (read < waiting.length) this.#withheld = new Set([...waiting.slice(read), ...this.#withheld]);
  }
}

const READING = new ReadingTime();

/**
 * Limits the framing bytes of a connection to a node, which the HTTP client does not report. The reading time in one iteration of the event loop is
 * limited too, because libuv reads up to 32 times before it serves another socket.
 */
export function boundFraming(socket: Socket): void {
  const read = socket.read.bind(socket);
  /** Length of the read that is being parsed; the three variables after it are the counters before this read. */
  let chunkBytes = 0;
  let bodyBefore = 0;
  let answersBefore = 0;
  let headsBefore = 0;
  /** Whether the incoming answer has a Content-Length. */
  let isSized = false;
  /** Number of bytes around the body of the incoming answer; `body` is the number of bytes in the body. */
  let framing = 0;
  let body = 0;
  /** Number of bytes read of a head or trailer, while the next bytes may belong to it. The number is undefined inside of a body. */
  let head: number | undefined = 0;
  /** Whether the body may have ended in the read that is being parsed. */
  let mayEnd = false;
  let lastByte = 0;

  const complete = (): void => {
    if (chunkBytes === 0) return;
    if (PARSED.heads !== headsBefore) isSized = PARSED.isSized;
    const bodyBytes = PARSED.bodyBytes - bodyBefore;
    if (PARSED.answers !== answersBefore) {
      framing = 0;
      body = 0;
      head = 0;
    } else {
      framing += chunkBytes - bodyBytes;
      body += bodyBytes;
      const isHead = head !== undefined && bodyBytes === 0 && PARSED.heads === headsBefore;
      if (isHead) head = (head ?? 0) + chunkBytes;
      else head = mayEnd ? 0 : undefined;
    }
    chunkBytes = 0;
  };
  /**
   * Returns how many bytes of a read the parser gets: at most one piece of a head or trailer. A piece ends where a head ends, so that the body does
   * not begin with a short piece.
   */
  const measure = (chunk: Buffer): number => {
    if (head !== undefined && chunk.length > HEAD_PIECE) {
      mayEnd = false;
      const end = chunk.subarray(0, HEAD_PIECE).indexOf(HEAD_END);
      return end < 0 ? HEAD_PIECE : end + HEAD_END.length;
    }
    if (isSized && head === undefined) {
      mayEnd = false;
      return chunk.length;
    }
    const isAtStart = lastByte === NEWLINE && chunk[0] === ZERO;
    const lastChunk = isAtStart ? 0 : chunk.indexOf(LAST_CHUNK);
    mayEnd = lastChunk >= 0;
    return mayEnd ? Math.min(chunk.length, lastChunk + HEAD_PIECE) : chunk.length;
  };

  socket.read = (size?: number): Buffer | null => {
    // `read(0)` only makes the stream request more data; it returns no bytes.
    if (size === 0) return read(0) as null;
    complete();
    if ((head ?? 0) > HEAD_BYTES || framing > FRAMING_BYTES + FRAMING_PER_BYTE * body) {
      framing = 0;
      head = undefined;
      socket.destroy(excessive('bytes around the body'));
      return null;
    }
    const available = socket.readableLength;
    // The first piece of a head is read without measuring its time, because nearly every head is only one piece.
    const isTimed = head === undefined || head === 0 ? available >= TIMED_BYTES : available > 0;
    if (isTimed && READING.isOver()) {
      READING.holdBack(socket);
      return null;
    }
    let chunk = read(size) as Buffer | null;
    if (chunk !== null) {
      const length = measure(chunk);
      if (length < chunk.length) {
        socket.unshift(chunk.subarray(length));
        chunk = chunk.subarray(0, length);
      }
      lastByte = chunk[chunk.length - 1] ?? 0;
    }
    chunkBytes = chunk?.length ?? 0;
    bodyBefore = PARSED.bodyBytes;
    answersBefore = PARSED.answers;
    headsBefore = PARSED.heads;
    return chunk;
  };
}
