import type { Duplex } from 'node:stream';

/** How long the peer may take to end its side, milliseconds: longer than what it sent meanwhile is on its way. */
const LINGER_MS = 500;

/**
 * Ends a connection that waits for a request, and reads on until its client has ended it too. A request that is on its way meets a closed
 * connection, which clients may repeat elsewhere, instead of a reset, after which they do not know whether it was done.
 * The caller sees to it that nothing that still arrives is served.
 */
export function endIdle(socket: Duplex, lingerMs: number = LINGER_MS): void {
  socket.end();
  const timer = setTimeout(() => socket.destroy(), lingerMs);
  timer.unref();
  socket.once('close', () => clearTimeout(timer));
}
