import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { nameOwner } from '../util/owner.ts';
import { TURNS } from '../util/turn-queue.ts';
import { readPeer } from './visitor.ts';

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

/**
 * Calls `end` for a connection on which nothing moved for too long, in a turn of its address: connections that came together are late
 * together. It is not called where something has arrived or was written meanwhile, after which node watches the connection again.
 */
export function endLate(socket: Socket, end: () => void): void {
  const { bytesRead, bytesWritten } = socket;
  TURNS.enter(nameOwner(readPeer(socket)), () => {
    const hasMoved = socket.bytesRead !== bytesRead || socket.bytesWritten !== bytesWritten;
    if (!socket.destroyed && !hasMoved) end();
  });
}
