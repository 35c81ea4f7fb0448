import assert from 'node:assert/strict';
import { once } from 'node:events';
import { type TestContext, test } from 'node:test';
import { WebSocket } from 'ws';
import type { RequestScope } from '../../src/util/request-scope.ts';
import { waitUntil } from '../support/wait-until.ts';
import {
  encodeHead,
  errorOf,
  exchange,
  Gate,
  HOST,
  KEY,
  letArrive,
  RawClient,
  startServer,
} from './support.ts';

function open(t: TestContext, port: number, options: { autoPong?: boolean } = {}): WebSocket {
  const socket = new WebSocket(`ws://127.0.0.1:${port}/ws/v3/${KEY}`, {
    headers: { Host: HOST },
    perMessageDeflate: true,
    ...options,
  });
  t.after(() => socket.terminate());
  return socket;
}

async function opened(
  t: TestContext,
  port: number,
  options: { autoPong?: boolean } = {},
): Promise<WebSocket> {
  const socket = open(t, port, options);
  await once(socket, 'open');
  return socket;
}

async function nextText(socket: WebSocket): Promise<string> {
  const [data, isBinary] = (await once(socket, 'message')) as [Buffer, boolean];
  assert.equal(isBinary, false);
  return data.toString('utf8');
}

async function closeCode(socket: WebSocket): Promise<number> {
  const [code] = (await once(socket, 'close')) as [number];
  return code;
}

test('text and binary messages are answered with text, without compression', async (t) => {
  const { port } = await startServer(t);
  const socket = await opened(t, port);
  assert.equal(socket.extensions, '');
  socket.send('{"id":1}');
  assert.equal(await nextText(socket), '{"id":1}');
  socket.send(Buffer.from('{"id":2}'));
  assert.equal(await nextText(socket), '{"id":2}');
});

test('messages without an answer get none, and an invalid one leaves the connection open', async (t) => {
  const { port } = await startServer(t, {
    handler: (text) => ({ status: text === '{' ? 400 : 200, body: text === 'quiet' ? '' : text }),
  });
  const socket = await opened(t, port);
  socket.send('quiet');
  socket.send('{');
  assert.equal(await nextText(socket), '{');
  socket.send('1');
  assert.equal(await nextText(socket), '1');
});

test('answers may be sent in another order than their messages', async (t) => {
  const gate = new Gate();
  const { port } = await startServer(t, {
    handler: async (text) => {
      if (text === 'slow') await gate.opened;
      return { status: 200, body: text };
    },
  });
  const socket = await opened(t, port);
  socket.send('slow');
  socket.send('fast');
  assert.equal(await nextText(socket), 'fast');
  gate.open();
  assert.equal(await nextText(socket), 'slow');
});

const upgrade = {
  Connection: 'Upgrade',
  Upgrade: 'websocket',
  'Sec-WebSocket-Version': '13',
  'Sec-WebSocket-Key': 'dGhlIHNhbXBsZSBub25jZQ==',
};
const refusals = [
  { name: 'unknown host', path: `/ws/v3/${KEY}`, headers: { Host: 'nowhere', ...upgrade }, status: 404 },
  { name: 'wrong key', path: '/ws/v3/bad', headers: { Host: HOST, ...upgrade }, status: 401 },
  { name: 'missing key', path: '/ws/v3/', headers: { Host: HOST, ...upgrade }, status: 401 },
  { name: 'unknown network', path: `/other/ws/v3/${KEY}`, headers: { Host: HOST, ...upgrade }, status: 404 },
  {
    name: 'a network’s HTTP path',
    path: `/test/v3/${KEY}`,
    headers: { Host: HOST, ...upgrade },
    status: 404,
  },
  { name: 'the HTTP path', path: `/v3/${KEY}`, headers: { Host: HOST, ...upgrade }, status: 404 },
  {
    name: 'a handshake without a nonce',
    path: `/ws/v3/${KEY}`,
    headers: { Host: HOST, ...upgrade, 'Sec-WebSocket-Key': 'x' },
    status: 400,
  },
];
for (const { name, path, headers, status } of refusals) {
  test(`the upgrade is refused with a JSON-RPC body: ${name}`, async (t) => {
    const { port } = await startServer(t);
    const client = new RawClient(port);
    const answer = await client.send(encodeHead('GET', path, headers)).read();
    assert.equal(answer?.status, status);
    assert.equal(typeof (answer && errorOf(answer).code), 'number');
    assert.equal(answer?.headers['connection'], 'close');
    await client.readToEnd();
  });
}

test('the network in the path is served under any host', async (t) => {
  const { port } = await startServer(t);
  const client = new RawClient(port);
  const head = encodeHead('GET', `/test/ws/v3/${KEY}`, { Host: 'nowhere', ...upgrade });
  assert.equal((await client.send(head).read(true))?.status, 101);
  client.close();
});

test('pages of other origins and connections beyond the bound are refused', async (t) => {
  const { port } = await startServer(t, {
    cors: { origins: ['https://good.example'] },
    limits: { webSockets: 1 },
  });
  const from = (origin: string): string =>
    encodeHead('GET', `/ws/v3/${KEY}`, { Host: HOST, Origin: origin, ...upgrade });
  assert.equal((await exchange(port, from('https://bad.example'))).status, 403);
  const first = new RawClient(port);
  assert.equal((await first.send(from('https://good.example')).read(true))?.status, 101);
  assert.equal((await exchange(port, from('https://good.example'))).status, 429);
  first.close();
});

test('a message above the limit is closed with 1009, and text that is not UTF-8 with 1007', async (t) => {
  const { port } = await startServer(t, { limits: { bodyBytes: 1000 } });
  const large = await opened(t, port);
  large.send('x'.repeat(1001));
  assert.equal(await closeCode(large), 1009);
  const invalid = await opened(t, port);
  invalid.send(Buffer.from([0xff, 0xfe]), { binary: false });
  assert.equal(await closeCode(invalid), 1007);
});

test('clients are pinged, and disconnected if they do not answer', async (t) => {
  const bounds: string[] = [];
  const onBound = (bound: string): void => void bounds.push(bound);
  const { port } = await startServer(t, { limits: { webSocketPing: 250 }, onBound });
  const alive = await opened(t, port);
  const dead = await opened(t, port, { autoPong: false });
  const [code, reason] = (await once(dead, 'close')) as [number, Buffer];
  assert.deepEqual([code, String(reason)], [1008, 'no answer to a ping (bound: webSocket.pong)']);
  assert.deepEqual(bounds, ['webSocket.pong']);
  let pings = 0;
  alive.on('ping', () => pings++);
  await waitUntil(() => pings >= 3);
  assert.equal(alive.readyState, WebSocket.OPEN);
});

test('concurrent messages are bounded, and further messages wait', async (t) => {
  let running = 0;
  let most = 0;
  const gate = new Gate();
  const { port } = await startServer(t, {
    // A pong must be read within one interval, also on a busy machine.
    limits: { webSocketInFlight: 4, webSocketPing: 300 },
    handler: async (text) => {
      running++;
      most = Math.max(most, running);
      await gate.opened;
      running--;
      return { status: 200, body: text };
    },
  });
  const socket = await opened(t, port);
  const answers: string[] = [];
  socket.on('message', (data) => answers.push(String(data)));
  for (let i = 0; i < 100; i++) socket.send(String(i));
  await waitUntil(() => running === 4);
  // Several heartbeats pass while the connection and its pongs are not read.
  await new Promise((resolve) => setTimeout(resolve, 1_000));
  assert.equal(running, 4);
  gate.open();
  await waitUntil(() => answers.length === 100);
  assert.equal(most, 4);
  assert.equal(new Set(answers).size, 100);
});

test('a client that does not read is not read from, and is disconnected', async (t) => {
  let handled = 0;
  const bounds: string[] = [];
  const answer = JSON.stringify('z'.repeat(1_000_000));
  const { port } = await startServer(t, {
    onBound: (bound) => void bounds.push(bound),
    limits: { webSocketHighWaterBytes: 2_000_000, webSocketInFlight: 1, sendTimeout: 400 },
    handler: () => {
      handled++;
      return { status: 200, body: answer };
    },
  });
  const socket = await opened(t, port);
  socket.pause();
  for (let i = 0; i < 100; i++) socket.send('1');
  const closed = once(socket, 'close');
  await new Promise((resolve) => setTimeout(resolve, 200));
  assert.ok(handled < 50, `handled ${handled}`);
  await new Promise((resolve) => setTimeout(resolve, 800));
  socket.resume();
  await closed;
  assert.ok(handled < 50, `handled ${handled}`);
  assert.equal(bounds.length, 1);
  assert.match(bounds.join(), /^send\.(?:time|rate)$/);
});

test('a connection is closed above the bound of unsent answers', async (t) => {
  const answer = JSON.stringify('z'.repeat(4_000_000));
  const gate = new Gate();
  let aborted = 0;
  const { port } = await startServer(t, {
    limits: { webSocketBufferedBytes: 10_000_000 },
    handler: async (text, scope) => {
      if (text === 'never') {
        scope.signal.addEventListener('abort', () => aborted++);
        await gate.opened;
      }
      return { status: 200, body: answer };
    },
  });
  const socket = await opened(t, port);
  socket.send('never');
  await letArrive();
  socket.pause();
  for (let i = 0; i < 20; i++) socket.send('1');
  await waitUntil(() => aborted === 1);
  socket.resume();
  assert.ok([1006, 1008].includes(await closeCode(socket)));
  gate.open();
});

test('closing the socket aborts its requests in progress', async (t) => {
  const scopes: RequestScope[] = [];
  const gate = new Gate();
  const { port } = await startServer(t, {
    handler: async (_text, scope) => {
      scopes.push(scope);
      await gate.opened;
      return { status: 200, body: '1' };
    },
  });
  const socket = await opened(t, port);
  socket.send('1');
  socket.send('2');
  await waitUntil(() => scopes.length === 2);
  socket.terminate();
  await waitUntil(() => scopes.every((scope) => scope.signal.aborted));
  gate.open();
});

test('a silent WebSocket is not subject to the HTTP timeouts', async (t) => {
  const { port } = await startServer(t, {
    limits: { sendTimeout: 300, keepAliveTimeout: 300, headersTimeout: 300, bodyTimeout: 300 },
  });
  const socket = await opened(t, port);
  await new Promise((resolve) => setTimeout(resolve, 1_000));
  socket.send('1');
  assert.equal(await nextText(socket), '1');
});
