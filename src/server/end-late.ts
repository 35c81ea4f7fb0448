import type { Socket } from 'node:net';
import { nameOwner } from '../util/owner.ts';
import { TURNS } from '../util/turn-queue.ts';
import { readPeer } from './visitor.ts';

/**
 * Calls `end` for a connection on which nothing moved for too long, in a turn of its address: connections that came together are late
 * together. It is not called where something has arrived meanwhile, after which node watches the connection again.
 */
export function endLate(socket: Socket, end: () => void): void {
  const { bytesRead } = socket;
  TURNS.enter(nameOwner(readPeer(socket)), () => {
    if (!socket.destroyed && socket.bytesRead === bytesRead) end();
  });
}
