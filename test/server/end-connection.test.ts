import assert from 'node:assert/strict';
import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { test } from 'node:test';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { endIdle, endStalled } from '../../src/server/end-connection.ts';

/** Longer than a busy machine stalls. */
const LONG_MS = 60_000;

async function openPair(): Promise<{ readonly own: Socket; readonly peer: Socket; close(): unknown }> {
  const server = createServer({ allowHalfOpen: true }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const peer = connect({ port, host: '127.0.0.1', allowHalfOpen: true });
  const [own] = (await once(server, 'connection')) as [Socket];
  return { own, peer, close: () => server.close() };
}

test('bytes that arrive while an idle connection ends are read, and cause no reset', async (t) => {
  const { own, peer, close } = await openPair();
  t.after(close);
  let received = '';
  own.on('data', (chunk: Buffer) => {
    received += chunk.toString();
  });
  const failed = once(peer, 'error').then(
    ([error]) => Promise.reject(error as Error),
    () => {},
  );
  endIdle(own, LONG_MS);
  peer.resume();
  await once(peer, 'end');
  // A reset would arrive with the first part, and cause an error for the second.
  for (const part of ['first', 'second']) {
    const arrived = once(own, 'data');
    peer.write(part);
    await Promise.race([arrived, failed, once(own, 'close').then(() => assert.fail('closed'))]);
  }
  assert.equal(received, 'firstsecond');
  peer.end();
  await once(own, 'end');
  if (!own.destroyed) await once(own, 'close');
});

test('a connection is closed without waiting long for a peer that does not end its side', async (t) => {
  const { own, peer, close } = await openPair();
  t.after(close);
  own.resume();
  endIdle(own, 1);
  await once(own, 'close');
  peer.destroy();
});

/** Members of a socket that the code reads. */
type Seen = { bytesRead: number; bytesWritten: number; destroyed: boolean; readonly remoteAddress: string };

/** @returns how often a connection is ended to which `change` happens before its scheduler slot */
async function countEnds(change: (socket: Seen) => void): Promise<number> {
  const socket: Seen = { bytesRead: 10, bytesWritten: 10, destroyed: false, remoteAddress: '127.0.0.1' };
  let ended = 0;
  endStalled(socket as unknown as Socket, () => ended++);
  assert.equal(ended, 0, 'it is ended at once');
  change(socket);
  await nextTurn();
  await nextTurn();
  return ended;
}

test('a stalled connection is ended in a slot of its address, not at once', async () => {
  assert.equal(await countEnds(() => {}), 1);
});

test('a stalled connection is not ended if bytes arrive before its slot', async () => {
  assert.equal(await countEnds((socket) => socket.bytesRead++), 0);
});

test('a stalled connection is not ended if it is answered before its slot', async () => {
  assert.equal(await countEnds((socket) => socket.bytesWritten++), 0);
});

test('a stalled connection is not ended if it is closed before its slot', async () => {
  const close = (socket: Seen): void => {
    socket.destroyed = true;
  };
  assert.equal(await countEnds(close), 0);
});
