import type { Socket } from 'node:net';
import { excessive } from './answer-shape.ts';

/** Bytes around the body of one answer: heads, interim answers, sizes and extensions of chunks, trailers. */
const FRAMING_BYTES = 128 * 1024;
/** Beside that, for each byte of the body: chunks of a few bytes have as much. */
const FRAMING_PER_BYTE = 8;
/** Bytes of one head or trailer, as in node's own HTTP. */
const HEAD_BYTES = 16 * 1024;
/** Bytes that the parser gets at once of a head or a trailer: it calls back for each field, of which this has 500 at most. */
const HEAD_PIECE = 2 * 1024;
const HEAD_END = Buffer.from('\r\n\r\n');
/** Behind the last chunk of a body, whose size is 0, there may be a trailer. Other lines that begin so cost shorter pieces only. */
const LAST_CHUNK = Buffer.from('\n0');
const [NEWLINE, ZERO] = LAST_CHUNK as unknown as readonly [number, number];
/** Time that reading from all nodes may take of one turn of the event loop, milliseconds. */
const TURN_MS = 4;

/** Shorter reads are not timed: they are over before the clock is read. */
const TIMED_BYTES = 16_384;

/**
 * Counted by exchanges as they are called back. The HTTP client parses a read at once, between two calls of `read`: what changes in between is that
 * socket's.
 */
export const PARSED = {
  bodyBytes: 0,
  answers: 0,
  /** Heads of answers but for interim ones, and whether the last one stated the length of its body: there is no trailer then. */
  heads: 0,
  isSized: false,
};

/** The time that all sockets share, since libuv calls back for each that has data in one turn of the event loop. */
class ReadingTime {
  #turnEnd = 0;
  /** Have something left to be read in the next turn, first the one that has waited longest. */
  #heldBack = new Set<Socket>();

  isOver(): boolean {
    const now = performance.now();
    if (this.#turnEnd > 0) return now > this.#turnEnd;
    this.#turnEnd = now + TURN_MS;
    setImmediate(() => this.#beginTurn());
    return false;
  }

  holdBack(socket: Socket): void {
    this.#heldBack.add(socket);
  }

  #beginTurn(): void {
    this.#turnEnd = 0;
    const waiting = [...this.#heldBack];
    this.#heldBack.clear();
    let read = 0;
    while (read < waiting.length && !this.isOver()) waiting[read++]?.emit('readable');
    if (read < waiting.length) this.#heldBack = new Set([...waiting.slice(read), ...this.#heldBack]);
  }
}

const READING = new ReadingTime();

/**
 * Bounds on a connection to a node the bytes that are no part of any body, of which the HTTP client tells nothing, and the time that reading takes
 * of one turn of the event loop: libuv reads up to 32 times before it looks at another socket.
 */
export function boundFraming(socket: Socket): void {
  const read = socket.read.bind(socket);
  /** The read that is being parsed, and what was counted before it. */
  let chunkBytes = 0;
  let bodyBefore = 0;
  let answersBefore = 0;
  let headsBefore = 0;
  /** The answer that is coming in states the length of its body. */
  let isSized = false;
  /** Of the answer that is coming in. */
  let framing = 0;
  let body = 0;
  /** Of its head or trailer, while that may be what is read; undefined inside of a body. */
  let head: number | undefined = 0;
  /** The body may have ended in the read that is being parsed. */
  let mayEnd = false;
  let lastByte = 0;

  const settle = (): void => {
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
  /** How much of a read the parser gets, so that it gets no head and no trailer in one piece. A head ends a piece, so that the body has no short one. */
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
    // The stream itself asks for more to come, and takes nothing.
    if (size === 0) return read(0) as null;
    settle();
    if ((head ?? 0) > HEAD_BYTES || framing > FRAMING_BYTES + FRAMING_PER_BYTE * body) {
      framing = 0;
      head = undefined;
      socket.destroy(excessive('bytes around the body'));
      return null;
    }
    const available = socket.readableLength;
    // The first piece of a head is not timed: it is all there is of nearly every one.
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
