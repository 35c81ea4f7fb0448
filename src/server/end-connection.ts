import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { nameOwner } from '../util/owner.ts';
import { SCHEDULER } from '../util/slot-scheduler.ts';
import { readPeer } from './visitor.ts';

/** Time limit for the peer to close its side, ms; longer than data is in transit. */
const LINGER_MS = 500;

/**
 * Half-closes an idle connection, and reads until the client has closed it too. If a client has just sent a request, it sees a clean close and may
 * retry. If the connection were reset instead, the client could not know whether the request was executed. The caller must not serve requests that
 * still arrive.
 */
export function endIdle(socket: Duplex, lingerMs: number = LINGER_MS): void {
  socket.end();
  const timer = setTimeout(() => socket.destroy(), lingerMs);
  timer.unref();
  socket.once('close', () => clearTimeout(timer));
}

/**
 * Calls `end` for a connection that was idle for too long. `end` runs in a scheduler slot of the client address, because connections that were opened
 * at the same time reach their timeout at the same time. If bytes are read or written before the slot, `end` is not called; Node.js then restarts its
 * timeout.
 */
export function endStalled(socket: Socket, end: () => void): void {
  const { bytesRead, bytesWritten } = socket;
  SCHEDULER.enter(nameOwner(readPeer(socket)), () => {
    const hasMoved = socket.bytesRead !== bytesRead || socket.bytesWritten !== bytesWritten;
    if (!socket.destroyed && !hasMoved) end();
  });
}
