import assert from 'node:assert/strict';
import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { test } from 'node:test';
import { endIdle } from '../../src/server/end-idle.ts';

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

test('what is on its way when an idle connection is ended is read, and resets nothing', async (t) => {
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
  // A reset would come with the first of them, and be an error of the second.
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

test('a peer that does not end its side is not waited for', async (t) => {
  const { own, peer, close } = await openPair();
  t.after(close);
  own.resume();
  endIdle(own, 1);
  await once(own, 'close');
  peer.destroy();
});
