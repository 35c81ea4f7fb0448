import assert from 'node:assert/strict';
import { PassThrough } from 'node:stream';
import { test } from 'node:test';
import { gzipSync } from 'node:zlib';
import { WebSocket } from 'ws';
import { ConnectionTable } from '../../src/server/connection.ts';
import { TransportShares } from '../../src/server/transport-shares.ts';
import { MAX_FRAGMENTS } from '../../src/server/websocket-arrival.ts';
import { CONTROL_FRAMES_PER_SECOND } from '../../src/server/websocket-share.ts';
import { waitUntil } from '../support/wait-until.ts';
import { defaultLimits, encodeRequest, HOST, KEY, RawClient, startServer } from './support.ts';

/** Encodes a client's frame, with a mask of zeros. */
function encodeFrame(opcode: number, isLast: boolean, payload: string): Buffer {
  const { length } = payload;
  const size = length < 126 ? [0x80 | length] : [0x80 | 126, length >> 8, length & 0xff];
  return Buffer.concat([Buffer.of((isLast ? 0x80 : 0) | opcode, ...size, 0, 0, 0, 0), Buffer.from(payload)]);
}

const repeat = (count: number, bytes: Buffer): Buffer =>
  Buffer.concat(Array.from({ length: count }, () => bytes));

/** Sends raw frames over a WebSocket. @returns close code */
async function floodWebSocket(port: number, bytes: Buffer): Promise<number> {
  return (await closeWebSocket(port, bytes))[0];
}

/** Sends all bytes at once over a WebSocket. @returns code and reason of the close */
function closeWebSocket(port: number, bytes: Buffer): Promise<[code: number, reason: string]> {
  const ws = new WebSocket(`ws://127.0.0.1:${port}/ws/v3/${KEY}`, { headers: { Host: HOST } });
  return new Promise((resolve, reject) => {
    ws.on('error', reject);
    ws.on('upgrade', ({ socket }) => setImmediate(() => socket.write(bytes)));
    ws.on('close', (code, reason) => resolve([code, reason.toString()]));
  });
}

const UPGRADE = 'GET /a HTTP/1.1\r\nHost: a\r\n\r\n';

/** Counts the requests begun in each turn of the event loop. */
function countTurns(): {
  readonly note: () => void;
  readonly most: () => number;
  readonly all: () => number;
} {
  let inThisTurn = 0;
  let most = 0;
  let all = 0;
  return {
    note() {
      if (inThisTurn++ === 0)
        setImmediate(() => {
          inThisTurn = 0;
        });
      most = Math.max(most, inThisTurn);
      all++;
    },
    most: () => most,
    all: () => all,
  };
}

test('pipelined requests are started over many turns of the event loop, and answered in order', async (t) => {
  const slots = countTurns();
  const seen: string[] = [];
  const { port } = await startServer(t, {
    limits: { pipelinedRequests: 10_000 },
    handler(text) {
      slots.note();
      seen.push(text);
      return { status: 200, body: text };
    },
  });
  const client = new RawClient(port);
  const count = 1_000;
  const requests = Array.from({ length: count }, (_, index) => encodeRequest(`${index}`));
  client.send(Buffer.concat([Buffer.from(UPGRADE), ...requests]));
  assert.equal((await client.read())?.status, 404);
  for (let index = 0; index < count; index++)
    assert.equal((await client.read())?.body.toString(), `${index}`);
  assert.equal(slots.all(), count);
  assert.ok(slots.most() < count / 4, `${slots.most()} in one turn`);
  assert.deepEqual(seen.slice(0, 3), ['0', '1', '2']);
});

test('messages of one WebSocket are started over many turns of the event loop', async (t) => {
  const slots = countTurns();
  const { port } = await startServer(t, {
    limits: { webSocketInFlight: 10_000 },
    handler(text) {
      slots.note();
      return { status: 200, body: text };
    },
  });
  const ws = new WebSocket(`ws://127.0.0.1:${port}/ws/v3/${KEY}`, { headers: { Host: HOST } });
  t.after(() => ws.terminate());
  let answers = 0;
  ws.on('message', () => answers++);
  const count = 1_000;
  ws.on('upgrade', ({ socket }) => {
    setImmediate(() => socket.write(repeat(count, encodeFrame(1, true, '{"id":1}'))));
  });
  await waitUntil(() => answers === count);
  assert.ok(slots.most() < count / 4, `${slots.most()} in one turn`);
});

test('a WebSocket is closed with 1008 above the bound of control frames', async (t) => {
  const { port } = await startServer(t);
  for (const opcode of [9, 10]) {
    const frames = repeat(4 * CONTROL_FRAMES_PER_SECOND, encodeFrame(opcode, true, ''));
    assert.equal(await floodWebSocket(port, frames), 1008);
  }
});

test('a WebSocket is closed with 1008 above the bound of fragments, and of empty messages', async (t) => {
  const { port } = await startServer(t, {
    limits: { webSocketInFlight: 1 },
    handler: () => new Promise(() => {}),
  });
  const fragments = repeat(MAX_FRAGMENTS + 1, encodeFrame(0, false, ' '));
  assert.equal(await floodWebSocket(port, Buffer.concat([encodeFrame(1, false, ''), fragments])), 1008);
  assert.equal(await floodWebSocket(port, repeat(5_000, encodeFrame(1, true, ''))), 1008);
});

test('the close for a message above a bound names the bound, and is counted', async (t) => {
  const refused: string[] = [];
  const { port } = await startServer(t, {
    limits: { bodyBytes: 10_000 },
    onBound: (bound) => refused.push(bound),
  });
  const parts = [encodeFrame(1, false, ' '.repeat(10_000)), encodeFrame(0, true, ' ')];
  for (const message of [encodeFrame(1, true, ' '.repeat(10_001)), Buffer.concat(parts)])
    assert.deepEqual(await closeWebSocket(port, message), [
      1009,
      'request body too large (bound: body.bytes)',
    ]);
  const fragments = repeat(MAX_FRAGMENTS + 1, encodeFrame(0, false, ' '));
  assert.deepEqual(await closeWebSocket(port, Buffer.concat([encodeFrame(1, false, ''), fragments])), [
    1008,
    'too many fragments (bound: webSocket.fragments)',
  ]);
  assert.deepEqual(refused, ['body.bytes', 'body.bytes', 'webSocket.fragments']);
});

test('a closed socket is not added to the connection table', () => {
  const table = new ConnectionTable(new TransportShares(defaultLimits()).unsent);
  const socket = new PassThrough();
  socket.destroy();
  table.of(socket);
  assert.equal(table.size, 0);
});

test('a client that disconnects while its body is decompressed releases its resources', async (t) => {
  let handled = 0;
  const { port, server } = await startServer(t, {
    handler(text) {
      handled++;
      return { status: 200, body: text };
    },
  });
  const body = gzipSync(Buffer.alloc(5_000_000, 0x20));
  for (let i = 0; i < 8; i++) {
    const client = new RawClient(port);
    client.send(encodeRequest(body, { 'Content-Encoding': 'gzip' }));
    await waitUntil(() => server.shares.arrivingBytes > 4_000_000 || handled > 0);
    client.socket.resetAndDestroy();
  }
  await waitUntil(() => server.connections === 0 && server.shares.arrivingBytes === 0);
});
