import assert from 'node:assert/strict';
import { once } from 'node:events';
import { existsSync, readFileSync } from 'node:fs';
import { Agent as HttpAgent, type IncomingMessage, request as postBy } from 'node:http';
import { connect } from 'node:net';
import { text as readText } from 'node:stream/consumers';
import { test } from 'node:test';
import { request, Agent as UndiciAgent } from 'undici';
import { WebSocket } from 'ws';
import type { TextAnswer } from '../../src/gateway/answer.ts';
import { createLogger } from '../../src/observe/logger.ts';
import { createServer } from '../../src/server/lifecycle.ts';
import { waitUntil } from '../support/wait-until.ts';
import {
  createFakeGateway,
  defaultLimits,
  encodeRequest,
  Gate,
  HOST,
  KEY,
  letArrive,
  PATH,
  RawClient,
  startServer,
} from './support.ts';

const BODY = '"body"';

async function openWebSocket(port: number): Promise<WebSocket> {
  const socket = new WebSocket(`ws://127.0.0.1:${port}/ws/v3/${KEY}`, { headers: { Host: HOST } });
  await once(socket, 'open');
  return socket;
}

/** Linux's list of TCP sockets. */
const SOCKETS = '/proc/net/tcp';
/** Above node's default backlog. */
const WAITING = 600;

/** Counts the connections in the accept queue of a port on 127.0.0.1. */
function countWaiting(port: number): number {
  const address = `0100007F:${port.toString(16).toUpperCase().padStart(4, '0')}`;
  const row = readFileSync(SOCKETS, 'utf8')
    .split('\n')
    .map((line) => line.trim().split(/\s+/))
    .find(([, local, , state]) => local === address && state === '0A');
  return Number.parseInt(row?.[4]?.split(':')[1] ?? '', 16);
}

/** Longer than a busy machine stalls. */
const STALL_MS = 60_000;
const PAUSE_MS = 5;

/**
 * Blocks the event loop, so that nothing is accepted, until `count` connections are in the accept queue. The kernel completes their handshakes by itself: on
 * a busy machine after `connect` has returned, and with a full queue never.
 */
function waitForWaiting(port: number, count: number): void {
  const pause = new Int32Array(new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT));
  const lastAt = performance.now() + STALL_MS;
  while (countWaiting(port) < count && performance.now() < lastAt) Atomics.wait(pause, 0, 0, PAUSE_MS);
  assert.equal(countWaiting(port), count);
}

test('a burst of connections waits in the accept queue without retries', async (t) => {
  if (!existsSync(SOCKETS)) return t.skip(`needs Linux: ${SOCKETS} lists the accept queue of a socket`);
  if (Number(readFileSync('/proc/sys/net/core/somaxconn', 'utf8')) < WAITING)
    return t.skip(`net.core.somaxconn is below ${WAITING}: the kernel queues fewer connections`);
  const { port } = await startServer(t);
  // All connects are in one turn of the event loop, so nothing is accepted meanwhile.
  const sockets = Array.from({ length: WAITING }, () => connect(port, '127.0.0.1'));
  await new Promise<void>((resolve) => process.nextTick(resolve));
  waitForWaiting(port, WAITING);
  await Promise.all(sockets.map((socket) => once(socket, 'connect')));
  // The sockets close before the server stops, which resets connections that it has not accepted.
  for (const socket of sockets) socket.destroy();
});

test('connections in the accept queue at a stop are accepted, and their requests answered', async (t) => {
  if (!existsSync(SOCKETS)) return t.skip(`needs Linux: ${SOCKETS} lists the accept queue of a socket`);
  const { server, port } = await startServer(t, { limits: { drainTimeout: 60_000 } });
  const clients = Array.from({ length: 100 }, () => new RawClient(port));
  await Promise.all(clients.map(({ socket }) => once(socket, 'connect')));
  assert.ok(server.connections < clients.length, 'some wait');
  // A client is connected a moment before the server is; connections that the kernel has not established at the stop are refused.
  waitForWaiting(port, clients.length - server.connections);
  for (const client of clients) client.send(encodeRequest(BODY));
  const closed = server.close();
  const answers = await Promise.all(clients.map((client) => client.read()));
  assert.deepEqual(new Set(answers.map((answer) => answer?.body.toString())), new Set([BODY]));
  await closed;
});

test('closing answers requests in progress, closes idle connections, and accepts no new ones', async (t) => {
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
  await waitUntil(() => started === 2);
  const idleClosed = once(idleSocket, 'close') as Promise<[number]>;
  const closed = server.close();
  assert.equal(server.close(), closed);
  assert.equal(await idle.readToEnd(), '');
  const [idleCode] = await idleClosed;
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

/** Connections per client. */
const KEPT = 8;

/** Clients with keep-alive connections, like those of services; each sends requests on idle connections. */
const KEEP_ALIVE: Readonly<
  Record<string, () => { ask(port: number): Promise<AskedOnce>; close(): unknown }>
> = {
  'an undici agent': () => {
    const agent = new UndiciAgent({ connections: KEPT });
    return {
      async ask(port) {
        const { body, headers } = await request(`http://127.0.0.1:${port}${PATH}`, {
          method: 'POST',
          headers: { host: HOST, 'content-type': 'application/json' },
          body: BODY,
          dispatcher: agent,
        });
        return { text: await body.text(), connection: String(headers['connection']) };
      },
      close: () => agent.destroy(),
    };
  },
  'an agent of node:http, with requests that node reads': () => {
    const agent = new HttpAgent({ keepAlive: true, maxSockets: KEPT });
    return {
      async ask(port) {
        const sent = postBy({ agent, port, path: PATH, method: 'POST', headers: CHUNKED });
        sent.end(BODY);
        const [answer] = (await once(sent, 'response')) as [IncomingMessage];
        return { text: await readText(answer), connection: String(answer.headers.connection) };
      },
      close: () => agent.destroy(),
    };
  },
};
type AskedOnce = { readonly text: string; readonly connection: string };
const CHUNKED = { host: HOST, 'content-type': 'application/json', 'transfer-encoding': 'chunked' };

for (const [name, createClient] of Object.entries(KEEP_ALIVE))
  test(`requests on idle connections at a stop are answered, each as the last of its connection: ${name}`, async (t) => {
    let served = 0;
    const handler = async (text: string): Promise<TextAnswer> => {
      served++;
      return { status: 200, body: text };
    };
    const { server, port } = await startServer(t, { handler, limits: { drainTimeout: 60_000 } });
    const client = createClient();
    t.after(() => client.close());
    const requestAll = (): Promise<readonly AskedOnce[]> =>
      Promise.all(Array.from({ length: KEPT }, () => client.ask(port)));
    assert.ok((await requestAll()).every(({ connection }) => connection !== 'close'));
    assert.equal(server.connections, KEPT);
    const closed = server.close();
    const answers = await requestAll();
    assert.deepEqual(answers, Array(KEPT).fill({ text: BODY, connection: 'close' }));
    await closed;
    assert.equal(served, 2 * KEPT);
  });

for (const [name, headers] of Object.entries({ plain: {}, 'that node reads': { 'X-Padding': 'é' } }))
  test(`a request that arrives after its idle connection was ended is not served: ${name}`, async (t) => {
    let served = 0;
    const handler = (text: string): TextAnswer => {
      served++;
      return { status: 200, body: text };
    };
    const { server, port } = await startServer(t, { handler, limits: { drainTimeout: 60_000 } });
    const socket = connect({ port, host: '127.0.0.1', allowHalfOpen: true });
    socket.on('data', () => {});
    socket.write(encodeRequest(BODY, headers));
    await waitUntil(() => served === 1 && socket.bytesRead > 0);
    const closed = server.close();
    await once(socket, 'end');
    await new Promise((sent) => socket.write(encodeRequest(BODY, headers), sent));
    await closed;
    socket.end();
    await once(socket, 'close');
    assert.equal(served, 1);
  });

test('requests that exceed the drain timeout are cut off and aborted', async (t) => {
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
  await waitUntil(() => aborted === 2);
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
