import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { nameOwner } from '../util/owner.ts';
import { SCHEDULER } from '../util/slot-scheduler.ts';
import { readPeer } from './visitor.ts';

/** Time for the peer to close its side, ms: longer than the delay of data in transit. */
const LINGER_MS = 500;

/**
 * Half-closes a connection that waits for a request, and reads until the client has closed it too. A request in transit then meets a closed
 * connection, and its client may retry elsewhere. After a reset, the client could not know whether the request was executed. The caller ensures that
 * no request that still arrives is served.
 */
export function endIdle(socket: Duplex, lingerMs: number = LINGER_MS): void {
  socket.end();
  const timer = setTimeout(() => socket.destroy(), lingerMs);
  timer.unref();
  socket.once('close', () => clearTimeout(timer));
}

/**
 * Calls `end` for a connection that was idle for too long, in a scheduler slot of its address: connections that opened at the same time reach their
 * timeout at the same time. If bytes are read or written before the slot, `end` is not called; Node.js then restarts its timeout.
 */
export function endStalled(socket: Socket, end: () => void): void {
  const { bytesRead, bytesWritten } = socket;
  SCHEDULER.enter(nameOwner(readPeer(socket)), () => {
    const hasMoved = socket.bytesRead !== bytesRead || socket.bytesWritten !== bytesWritten;
    if (!socket.destroyed && !hasMoved) end();
  });
}
