import assert from 'node:assert/strict';
import type { Socket } from 'node:net';
import { test } from 'node:test';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { endLate } from '../../src/server/end-late.ts';

/** As much of a socket as is looked at. */
type Seen = { bytesRead: number; destroyed: boolean; readonly remoteAddress: string };

/** @returns how often a connection is ended to which `change` happens before its turn */
async function countEnds(change: (socket: Seen) => void): Promise<number> {
  const socket: Seen = { bytesRead: 10, destroyed: false, remoteAddress: '127.0.0.1' };
  let ended = 0;
  endLate(socket as unknown as Socket, () => ended++);
  assert.equal(ended, 0, 'it is ended at once');
  change(socket);
  await nextTurn();
  await nextTurn();
  return ended;
}

test('a late connection is ended in a turn of its address, not at once', async () => {
  assert.equal(await countEnds(() => {}), 1);
});

test('a connection on which something arrives before its turn is not ended', async () => {
  assert.equal(await countEnds((socket) => socket.bytesRead++), 0);
});

test('a connection that is closed before its turn is not ended', async () => {
  const close = (socket: Seen): void => {
    socket.destroyed = true;
  };
  assert.equal(await countEnds(close), 0);
});
