import type { Socket } from 'node:net';
import { excessive } from './answer-shape.ts';

/** Bytes around the body of one answer: heads, interim answers, sizes and extensions of chunks, trailers. */
const FRAMING_BYTES = 128 * 1024;
/** Beside that, for each byte of the body: chunks of a few bytes have as much. */
const FRAMING_PER_BYTE = 8;
/** Time that reading from one node may take of one turn of the event loop, milliseconds. */
const TURN_MS = 4;

/** Shorter reads are not timed: they are over before the clock is read. */
const TIMED_BYTES = 16_384;

/**
 * Counted by exchanges as they are called back. The HTTP client parses a read at once, between two calls of `read`: what changes in between is that
 * socket's.
 */
export const PARSED = { bodyBytes: 0, answers: 0 };

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
  /** Of the answer that is coming in. */
  let framing = 0;
  let body = 0;
  let turnEnd = 0;
  /** Something is left to be read in the next turn. */
  let isHeldBack = false;

  const settle = (): void => {
    if (chunkBytes === 0) return;
    const bodyBytes = PARSED.bodyBytes - bodyBefore;
    if (PARSED.answers === answersBefore) {
      framing += chunkBytes - bodyBytes;
      body += bodyBytes;
    } else {
      framing = 0;
      body = 0;
    }
    chunkBytes = 0;
  };
  const isOverTime = (): boolean => {
    const now = performance.now();
    if (turnEnd > 0) return now > turnEnd;
    turnEnd = now + TURN_MS;
    setImmediate(() => {
      turnEnd = 0;
      if (!isHeldBack) return;
      isHeldBack = false;
      socket.emit('readable');
    });
    return false;
  };

  socket.read = (size?: number): Buffer | null => {
    settle();
    if (framing > FRAMING_BYTES + FRAMING_PER_BYTE * body) {
      framing = 0;
      socket.destroy(excessive('bytes around the body'));
      return null;
    }
    if (socket.readableLength >= TIMED_BYTES && isOverTime()) {
      isHeldBack = true;
      return null;
    }
    const chunk = read(size) as Buffer | null;
    chunkBytes = chunk?.length ?? 0;
    bodyBefore = PARSED.bodyBytes;
    answersBefore = PARSED.answers;
    return chunk;
  };
}
