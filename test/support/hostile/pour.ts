import type { Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';

/** End of a stream of bytes to the service. */
export type PourEnd =
  /** All bytes were accepted. */
  | 'taken'
  /** The peer closed the connection, or it broke. */
  | 'closed'
  /** The service still accepted bytes at the time limit. */
  | 'timed out';

/** Time limit against a service that reads without bounds, milliseconds. */
const LIMIT_MS = 20_000;

/** Writes pieces as fast as the peer accepts them, until the connection ends. */
export async function pour(
  socket: Socket,
  pieces: Iterable<Buffer>,
  limitMs: number = LIMIT_MS,
): Promise<PourEnd> {
  const until = performance.now() + limitMs;
  for (const piece of pieces) {
    if (socket.destroyed) return 'closed';
    if (performance.now() > until) return 'timed out';
    if (!socket.write(piece)) await untilDrained(socket, until - performance.now());
  }
  return socket.destroyed ? 'closed' : 'taken';
}

/** Writes the first bytes of pieces, a few at a time. */
export async function trickleSlowly(
  socket: Socket,
  pieces: Iterable<Buffer>,
  { bytes, pauseMs }: { readonly bytes: number; readonly pauseMs: number },
): Promise<PourEnd> {
  const until = performance.now() + LIMIT_MS;
  for (const piece of pieces) {
    for (let at = 0; at < piece.length; at += bytes) {
      if (socket.destroyed) return 'closed';
      if (performance.now() > until) return 'timed out';
      socket.write(piece.subarray(at, at + bytes));
      await sleep(pauseMs);
    }
  }
  return 'taken';
}

function untilDrained(socket: Socket, limitMs: number): Promise<void> {
  return new Promise((resolve) => {
    const done = (): void => {
      clearTimeout(timer);
      socket.removeListener('drain', done);
      socket.removeListener('close', done);
      resolve();
    };
    const timer = setTimeout(done, Math.max(0, limitMs));
    socket.once('drain', done);
    socket.once('close', done);
  });
}
