import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { nameOwner } from '../util/owner.ts';
import { SCHEDULER } from '../util/slot-scheduler.ts';
import { readPeer } from './visitor.ts';

/** Time for the peer to close its side, ms: longer than the delay of data already in transit. */
const LINGER_MS = 500;

/**
 * Half-closes a connection that waits for a request, and reads on until its client has closed it too. A request in
 * transit then meets a closed connection, which clients may retry elsewhere, instead of a reset, after which they
 * cannot know whether it was executed. The caller ensures that nothing that still arrives is served.
 */
export function endIdle(socket: Duplex, lingerMs: number = LINGER_MS): void {
  socket.end();
  const timer = setTimeout(() => socket.destroy(), lingerMs);
  timer.unref();
  socket.once('close', () => clearTimeout(timer));
}

/**
 * Calls `end` for a connection idle for too long, in a scheduler slot of its address: connections that came
 * together time out together. It is not called if bytes were read or written meanwhile; node then rearms its
 * timeout.
 */
export function endStalled(socket: Socket, end: () => void): void {
  const { bytesRead, bytesWritten } = socket;
  SCHEDULER.enter(nameOwner(readPeer(socket)), () => {
    const hasMoved = socket.bytesRead !== bytesRead || socket.bytesWritten !== bytesWritten;
    if (!socket.destroyed && !hasMoved) end();
  });
}
