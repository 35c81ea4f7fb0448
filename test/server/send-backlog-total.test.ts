import assert from 'node:assert/strict';
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { Duplex } from 'node:stream';
import { type TestContext, test } from 'node:test';
import { WebSocket } from 'ws';
import type { Server } from '../../src/server/lifecycle.ts';
import type { ListenerLimits } from '../../src/server/options.ts';
import { SendBacklogTotal } from '../../src/server/send-backlog-total.ts';
import { waitUntil } from '../support/wait-until.ts';
import {
  createFakeGateway,
  defaultLimits,
  encodeHead,
  encodeRequest,
  errorOf,
  exchange,
  HOST,
  KEY,
  startServer,
} from './support.ts';

const MB = 1_000_000;
/** Larger than the kernel's buffers of both ends. */
const ANSWER = JSON.stringify('z'.repeat(16 * MB));

type Handled = { calls: number };

/** Starts a server on which each key `good-key-<name>` is a separate owner. */
async function start(
  t: TestContext,
  limits: Partial<ListenerLimits>,
): Promise<{ server: Server; port: number; handled: Handled; bounds: string[] }> {
  const bounds: string[] = [];
  const handled = { calls: 0 };
  const gateway = createFakeGateway(undefined, (bound) => void bounds.push(bound));
  const { server, port } = await startServer(t, {
    limits,
    gateway: {
      ...gateway,
      async admit(visitor) {
        const session = await gateway.admit({
          ...visitor,
          key: visitor.key?.startsWith(KEY) ? KEY : visitor.key,
        });
        return 'refused' in session
          ? session
          : { ...session, principal: { id: String(visitor.key), name: 'x' } };
      },
      handle(body) {
        handled.calls++;
        const text = Buffer.from(body).toString();
        if (text === '"large"') return { status: 200, body: ANSWER };
        if (text === '"second"') return waitForCall(handled, 2);
        return { status: 200, body: text === '"stream"' ? makeStream() : text };
      },
    },
  });
  return { server, port, handled, bounds };
}

async function waitForCall(handled: Handled, calls: number): Promise<{ status: number; body: string }> {
  await waitUntil(() => handled.calls >= calls);
  return { status: 200, body: ANSWER };
}

function makeStream(): { pieces: AsyncIterable<Uint8Array>; cancel: () => void } {
  const piece = Buffer.alloc(64 * 1024, '1');
  return {
    pieces: (async function* () {
      for (let i = 0; i < 250; i++) yield piece;
    })(),
    cancel() {},
  };
}

function request(body: string, key: string, extra: Record<string, string> = {}): Buffer {
  const text = encodeRequest(body, extra).toString('latin1');
  return Buffer.from(text.replace(`/v3/${KEY}`, `/v3/${key}`), 'latin1');
}

/** Opens a client that sends a request and reads nothing. */
function stall(t: TestContext, port: number, bytes: Uint8Array): Socket {
  const socket = connect(port, '127.0.0.1');
  t.after(() => socket.destroy());
  socket.on('error', () => {});
  socket.write(bytes);
  return socket;
}

const LANES: readonly (readonly [string, Record<string, string>])[] = [
  ['the plain lane', {}],
  ["node's server", { 'X-Latin': 'é' }],
];

for (const [lane, extra] of LANES) {
  test(`unread answers are bounded by key, on ${lane}; further calls of this key are refused before they run`, async (t) => {
    const limits = { unsentBytes: 100 * MB };
    const { server, port, handled } = await start(t, limits);
    for (let i = 0; i < 12; i++) {
      const before = handled.calls + server.shares.refusals.unsent;
      stall(t, port, request('"large"', `${KEY}-greedy`, extra));
      await waitUntil(() => handled.calls + server.shares.refusals.unsent > before);
    }
    await waitUntil(() => server.shares.unsentBytes > 0);
    assert.ok(server.shares.unsentBytes <= limits.unsentBytes / 2, String(server.shares.unsentBytes));
    assert.ok(server.shares.refusals.unsent > 0);
    // Another key receives all its responses, including large ones.
    for (let i = 0; i < 3; i++) {
      const answer = await exchange(port, request('"large"', `${KEY}-polite`, extra));
      assert.equal(answer.body.length, ANSWER.length);
    }
  });
}

test('answers that wait in a pipeline count as send backlog', async (t) => {
  const { server, port, handled } = await start(t, { unsentBytes: 100 * MB });
  // A connection with an unread response may not read a further request, so only the first request waits for the second.
  const bytes = request('"second"', `${KEY}-greedy`, { 'X-Latin': 'é' });
  const socket = stall(t, port, Buffer.concat([bytes, bytes]));
  await waitUntil(() => handled.calls === 2 && server.shares.unsentBytes > 20 * MB);
  socket.destroy();
  await waitUntil(() => server.shares.unsentBytes === 0);
});

test('WebSockets of one key share its part of the send backlog, and those of another key are not closed', async (t) => {
  const limits = { unsentBytes: 100 * MB };
  const { server, port } = await start(t, limits);
  const polite = await openWebSocket(port, `${KEY}-polite`);
  let closed = 0;
  for (let i = 0; i < 12; i++) {
    const ws = await openWebSocket(port, `${KEY}-greedy`);
    t.after(() => ws.terminate());
    ws.on('close', () => closed++);
    ws.on('error', () => {});
    ws.pause();
    ws.send('"large"');
  }
  await waitUntil(() => server.shares.refusals.unsent > 0);
  assert.ok(server.shares.unsentBytes <= limits.unsentBytes / 2, String(server.shares.unsentBytes));
  polite.send('"large"');
  const [message] = (await once(polite, 'message')) as [Buffer];
  assert.equal(message.length, ANSWER.length);
  polite.close();
});

test('a connection that is being closed counts until it is closed', () => {
  const all = new SendBacklogTotal({ ...defaultLimits(), unsentBytes: 1_000_000 });
  // The connections release none of it before the next turn of the event loop.
  const sockets = Array.from({ length: 3 }, () => {
    const socket = new Duplex({ read() {}, write() {}, highWaterMark: 1 });
    const flow = all.watch(socket, () => socket.destroy());
    socket.write(Buffer.alloc(400_000));
    flow.update('key:1');
    return socket;
  });
  assert.ok(sockets.some((socket) => socket.destroyed));
  assert.equal(all.bytes, 1_200_000);
  assert.ok(all.refuses('key:1'));
});

async function openWebSocket(port: number, key: string): Promise<WebSocket> {
  const ws = new WebSocket(`ws://127.0.0.1:${port}/ws/v3/${key}`, { headers: { Host: HOST } });
  await once(ws, 'open');
  return ws;
}

/** Reads so little every few milliseconds that progress never stops. */
function trickle(socket: Socket): void {
  socket.pause();
  const timer = setInterval(() => {
    socket.read(2_000);
  }, 5);
  socket.on('close', () => clearInterval(timer));
}

const SLOW = { sendTimeout: 400, sendRate: 1024 * MB };

for (const body of ['"large"', '"stream"']) {
  for (const [lane, extra] of LANES) {
    test(`${body} read too slowly ends on ${lane}, even with steady progress`, async (t) => {
      const { server, port, bounds } = await start(t, SLOW);
      const socket = connect(port, '127.0.0.1');
      socket.on('error', () => {});
      socket.write(request(body, KEY, extra));
      trickle(socket);
      await waitUntil(() => server.shares.refusals.slow > 0);
      await waitUntil(() => server.shares.unsentBytes === 0 && server.connections === 0);
      assert.deepEqual(bounds.splice(0), ['send.rate']);
      socket.destroy();
    });
  }

  test(`${body} read too slowly ends over WebSocket`, async (t) => {
    const { server, port } = await start(t, SLOW);
    const socket = connect(port, '127.0.0.1');
    socket.on('error', () => {});
    socket.write(
      encodeHead('GET', `/ws/v3/${KEY}`, {
        Host: HOST,
        Connection: 'Upgrade',
        Upgrade: 'websocket',
        'Sec-WebSocket-Version': '13',
        'Sec-WebSocket-Key': 'dGhlIHNhbXBsZSBub25jZQ==',
      }),
    );
    const payload = Buffer.from(body);
    socket.write(Buffer.concat([Buffer.from([0x81, 0x80 | payload.length, 0, 0, 0, 0]), payload]));
    trickle(socket);
    await waitUntil(() => server.shares.refusals.slow > 0);
    await waitUntil(() => server.webSockets === 0);
    socket.destroy();
  });
}

test('a client that reads faster than the minimum rate is not disconnected', async (t) => {
  const { server, port } = await start(t, { sendTimeout: 2_000, sendRate: 1_000 });
  const socket = connect(port, '127.0.0.1');
  socket.write(request('"large"', KEY));
  let received = 0;
  socket.on('data', (chunk) => {
    received += chunk.length;
    socket.pause();
    setTimeout(() => socket.resume(), 1);
  });
  await waitUntil(() => received > ANSWER.length);
  assert.deepEqual(server.shares.refusals.slow, 0);
  socket.destroy();
});

test('a key without room for its send backlog gets 429 without execution until the backlog is read; other keys are served', async (t) => {
  const { server, port, handled } = await start(t, { unsentBytes: 17 * MB });
  const socket = stall(t, port, request('"large"', KEY));
  await waitUntil(() => handled.calls === 1 && server.shares.unsentBytes > 0);
  const answer = await exchange(port, request('"small"', KEY));
  assert.deepEqual([answer.status, errorOf(answer).code, handled.calls], [429, -32005, 1]);
  const ws = await openWebSocket(port, KEY);
  ws.send('"small"');
  const [message] = (await once(ws, 'message')) as [Buffer];
  assert.equal(JSON.parse(message.toString()).error.code, -32005);
  assert.equal(handled.calls, 1);
  assert.equal((await exchange(port, request('"small"', `${KEY}-2`))).status, 200);
  ws.close();
  socket.destroy();
  await waitUntil(() => server.shares.unsentBytes === 0);
  assert.equal((await exchange(port, request('"small"', KEY))).status, 200);
});
