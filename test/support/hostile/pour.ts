import type { Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';

/** How a stream of bytes to the service ended. */
export type PourEnd =
  /** All of it was taken. */
  | 'taken'
  /** The connection was closed from the other side, or broke. */
  | 'closed'
  /** It was still being taken when its time was over. */
  | 'timed out';

/** Bounds what a service without bounds makes of a test, milliseconds. */
const LIMIT_MS = 20_000;

/** Writes pieces as fast as they are taken. Ends with the connection. */
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

/** Writes the first bytes of pieces, so few at a time. */
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
