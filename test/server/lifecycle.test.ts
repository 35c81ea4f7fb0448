import assert from 'node:assert/strict';
import { once } from 'node:events';
import { existsSync, readFileSync } from 'node:fs';
import { connect } from 'node:net';
import { test } from 'node:test';
import { WebSocket } from 'ws';
import { createLogger } from '../../src/observe/logger.ts';
import { createServer } from '../../src/server/lifecycle.ts';
import {
  createFakeGateway,
  defaultLimits,
  encodeRequest,
  Gate,
  HOST,
  KEY,
  letArrive,
  RawClient,
  startServer,
  until,
} from './support.ts';

async function openWebSocket(port: number): Promise<WebSocket> {
  const socket = new WebSocket(`ws://127.0.0.1:${port}/ws/v3/${KEY}`, { headers: { Host: HOST } });
  await once(socket, 'open');
  return socket;
}

/** Where Linux lists sockets. */
const SOCKETS = '/proc/net/tcp';
/** More than node lets wait by default. */
const WAITING = 600;

/** Connections that wait to be accepted on a port of 127.0.0.1. */
function countWaiting(port: number): number {
  const address = `0100007F:${port.toString(16).toUpperCase().padStart(4, '0')}`;
  const row = readFileSync(SOCKETS, 'utf8')
    .split('\n')
    .map((line) => line.trim().split(/\s+/))
    .find(([, local, , state]) => local === address && state === '0A');
  return Number.parseInt(row?.[4]?.split(':')[1] ?? '', 16);
}

test('many connections wait to be accepted, so that none has to be tried again', async (t) => {
  if (!existsSync(SOCKETS)) return t.skip(`needs Linux: ${SOCKETS} lists the accept queue of a socket`);
  if (Number(readFileSync('/proc/sys/net/core/somaxconn', 'utf8')) < WAITING)
    return t.skip(`net.core.somaxconn is below ${WAITING}: the kernel queues fewer connections`);
  const { port } = await startServer(t);
  // All in one turn of the event loop: nothing is accepted meanwhile.
  const sockets = Array.from({ length: WAITING }, () => connect(port, '127.0.0.1'));
  t.after(() => {
    for (const socket of sockets) socket.destroy();
  });
  await new Promise<void>((resolve) => process.nextTick(resolve));
  assert.equal(countWaiting(port), WAITING);
  await Promise.all(sockets.map((socket) => once(socket, 'connect')));
});

test('closing answers what is in work, closes idle connections, and accepts nothing new', async (t) => {
  const gate = new Gate();
  let started = 0;
  const { server, port } = await startServer(t, {
    limits: { drainTimeout: 10_000 },
    handler: async (text) => {
      started++;
      await gate.opened;
      return { status: 200, body: text };
    },
  });
  const [idle, busy] = [new RawClient(port), new RawClient(port)];
  const [idleSocket, busySocket] = [await openWebSocket(port), await openWebSocket(port)];
  busy.send(encodeRequest('"http"'));
  busySocket.send('"ws"');
  await until(() => started === 2);
  const closed = server.close();
  assert.equal(server.close(), closed);
  assert.equal(await idle.readToEnd(), '');
  const [idleCode] = (await once(idleSocket, 'close')) as [number];
  assert.equal(idleCode, 1001);
  await assert.rejects(openWebSocket(port), { code: 'ECONNREFUSED' });
  busySocket.send('"too late"');
  gate.open();
  const [message] = (await once(busySocket, 'message')) as [Buffer];
  assert.equal(message.toString(), '"ws"');
  const [busyCode] = (await once(busySocket, 'close')) as [number];
  assert.equal(busyCode, 1001);
  const answer = await busy.read();
  assert.equal(answer?.body.toString(), '"http"');
  assert.equal(answer?.headers['connection'], 'close');
  await closed;
  assert.equal(started, 2);
});

test('what does not end within the bound is cut off and aborted', async (t) => {
  const gate = new Gate();
  let aborted = 0;
  const { server, port } = await startServer(t, {
    limits: { drainTimeout: 50 },
    handler: async (_text, scope) => {
      scope.signal.addEventListener('abort', () => aborted++);
      await gate.opened;
      return { status: 200, body: '1' };
    },
  });
  const client = new RawClient(port).send(encodeRequest('{}'));
  const socket = await openWebSocket(port);
  socket.on('error', () => {});
  socket.send('1');
  await letArrive();
  await server.close();
  assert.equal(await client.readToEnd(), '');
  await until(() => aborted === 2);
  gate.open();
});

test('an address in use is an error of listen', async (t) => {
  const { port } = await startServer(t);
  const other = createServer({
    gateway: createFakeGateway(),
    options: {
      listen: { host: '127.0.0.1', port },
      cors: { origins: [] },
      limits: defaultLimits(),
    },
    log: createLogger('silent'),
  });
  await assert.rejects(other.listen(), { code: 'EADDRINUSE' });
});
