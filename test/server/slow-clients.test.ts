import assert from 'node:assert/strict';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { connect, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { connect as connectTls } from 'node:tls';
import { WebSocket } from 'ws';
import type { TlsOptions } from '../../src/server/options.ts';
import { createCertificate } from '../support/certificate.ts';
import { encodeHead, encodeRequest, HOST, KEY, letArrive, PATH, RawClient, startServer } from './support.ts';

const CLIENTS = 30;
/** Limits so short that no client finishes its trickled bytes. */
const LIMITS = { headersTimeout: 150, bodyTimeout: 200, handshakeTimeout: 150, keepAliveTimeout: 60_000 };
const TRICKLE_MS = 5;

/** Sends one byte after another for as long as the connection lives. */
function trickle(socket: Socket, bytes: Buffer): void {
  let sent = 0;
  const timer = setInterval(() => {
    socket.write(bytes.subarray(sent % bytes.length, (sent % bytes.length) + 1));
    sent++;
  }, TRICKLE_MS);
  socket.once('close', () => clearInterval(timer));
}

const ENDLESS_HEAD = Buffer.from(`POST ${PATH} HTTP/1.1\r\n${'X-Slow: yes\r\n'.repeat(900)}`);
const HEAD_OF_A_GET = Buffer.from(`GET /health/live HTTP/1.1\r\n${'X-Slow: yes\r\n'.repeat(900)}`);
const LONG_BODY = encodeRequest('1'.repeat(40_000));
const HEAD_LENGTH = LONG_BODY.indexOf('\r\n\r\n') + 4;
const CHUNKED = Buffer.from(
  encodeHead('POST', PATH, {
    Host: HOST,
    'Content-Type': 'application/json',
    'Transfer-Encoding': 'chunked',
  }),
);

/** Bytes that are sent at once, and bytes that follow one by one. */
const RUDE: readonly (readonly [string, Uint8Array, Buffer])[] = [
  ['a plain head', Buffer.alloc(0), ENDLESS_HEAD],
  ['another head', HEAD_OF_A_GET.subarray(0, 40), HEAD_OF_A_GET.subarray(40)],
  ['a head after a request', encodeRequest('1'), ENDLESS_HEAD],
  ['a plain body', LONG_BODY.subarray(0, HEAD_LENGTH), LONG_BODY.subarray(HEAD_LENGTH)],
  ['a body in chunks', CHUNKED, Buffer.from('1\r\n1\r\n'.repeat(100))],
  [
    'a refused body',
    encodeRequest('1'.repeat(9_000), { 'Content-Type': 'text/plain' }).subarray(0, 300),
    LONG_BODY,
  ],
  ['line ends before a request', Buffer.alloc(0), Buffer.from('\r\n'.repeat(1_000))],
];

for (const secure of [false, true]) {
  test(`however slowly a request arrives${secure ? ' over TLS' : ''}, its connection ends, and others are served`, async (t) => {
    const { tls, ca } = secure ? writePair(t) : { tls: undefined, ca: undefined };
    // Thirty handshakes at the same time take a busy machine longer than the limit for deliberately slow clients.
    const limits = { ...LIMITS, handshakeTimeout: 20_000 };
    const { port } = await startServer(t, { limits, ...(tls !== undefined && { listen: { tls } }) });
    const open = (): Socket =>
      ca === undefined
        ? connect(port, '127.0.0.1')
        : connectTls({ port, host: '127.0.0.1', ca, servername: 'localhost' });
    const ended: Promise<unknown>[] = [];
    for (let i = 0; i < CLIENTS; i++) {
      const [, first, rest] = RUDE[i % RUDE.length] as (typeof RUDE)[number];
      const socket = open();
      socket.on('error', () => {});
      socket.on('data', () => {});
      ended.push(waitForClose(socket));
      socket.once(secure ? 'secureConnect' : 'connect', () => {
        socket.write(first);
        trickle(socket, rest);
      });
    }
    const polite = new RawClient(open());
    assert.equal((await polite.send(encodeRequest('1')).read())?.status, 200);
    await Promise.all(ended);
    assert.equal((await polite.send(encodeRequest('2')).read())?.status, 200);
    polite.close();
  });
}

/** Resolves when the connection is over, by an end or by a reset. */
function waitForClose(socket: Socket): Promise<void> {
  return new Promise((resolve) => {
    socket.once('close', () => resolve());
  });
}

function writePair(t: TestContext): { tls: TlsOptions; ca: string } {
  const folder = mkdtempSync(join(tmpdir(), 'portcullis-tls-'));
  t.after(() => rmSync(folder, { recursive: true }));
  const pair = createCertificate();
  const tls = { cert: join(folder, 'tls.crt'), key: join(folder, 'tls.key') };
  writeFileSync(tls.cert, pair.cert);
  writeFileSync(tls.key, pair.key);
  return { tls, ca: pair.cert };
}

test('a TLS handshake that arrives byte by byte, or not at all, is ended', async (t) => {
  const { tls } = writePair(t);
  const bounds: string[] = [];
  const onBound = (bound: string): void => void bounds.push(bound);
  const { port } = await startServer(t, { limits: LIMITS, listen: { tls }, onBound });
  // The bytes begin a ClientHello of 16 KB.
  const hello = Buffer.alloc(16_384, 7);
  hello.set([0x16, 0x03, 0x01, 0x3f, 0xff, 0x01, 0x00, 0x3f, 0xfb, 0x03, 0x03]);
  await Promise.all(
    Array.from({ length: CLIENTS }, async (_, i) => {
      const socket = connect(port, '127.0.0.1');
      socket.on('error', () => {});
      const closed = waitForClose(socket);
      socket.resume();
      await once(socket, 'connect');
      if (i % 2 === 0) trickle(socket, hello);
      await closed;
    }),
  );
  assert.deepEqual(bounds, Array(CLIENTS).fill('tls.handshakeTime'));
});

async function openWebSocket(port: number): Promise<WebSocket> {
  const socket = new WebSocket(`ws://127.0.0.1:${port}/ws/v3/${KEY}`, { headers: { Host: HOST } });
  await once(socket, 'open');
  return socket;
}

test('a fragmented message that never completes is ended, even if pings are answered and sent', async (t) => {
  const { port } = await startServer(t, { limits: { bodyTimeout: 100, webSocketPing: 300 } });
  const [slow, idle] = [await openWebSocket(port), await openWebSocket(port)];
  let fragments = 0;
  const timer = setInterval(() => {
    if (slow.readyState !== slow.OPEN) return;
    slow.send('1', { fin: false });
    // Fewer pings than the bound of control frames.
    if (fragments++ % 10 > 0) return;
    slow.ping('still here');
    idle.ping();
  }, TRICKLE_MS);
  t.after(() => clearInterval(timer));
  const [code, reason] = (await once(slow, 'close')) as [number, Buffer];
  assert.deepEqual(
    [code, reason.toString()],
    [1008, 'a message took too long to arrive (bound: webSocket.messageTime)'],
  );
  idle.send('"idle"');
  assert.equal(String((await once(idle, 'message'))[0]), '"idle"');
  idle.close();
});

test('incomplete messages share the memory for arriving bodies, and release it', async (t) => {
  const limits = { bodyBytes: 1_000_000, arrivingBytes: 1_000_000, ownerShare: 1 };
  const { port } = await startServer(t, { limits });
  const half = 'x'.repeat(600_000);
  for (let round = 0; round < 3; round++) {
    const [first, second] = [await openWebSocket(port), await openWebSocket(port)];
    first.send(half, { fin: false });
    // The pong shows that the bytes before the ping have been read.
    first.ping();
    await once(first, 'pong');
    second.send(half, { fin: false });
    const [code] = (await once(second, 'close')) as [number];
    assert.equal(code, 1013);
    first.send('y', { fin: true });
    assert.equal(String((await once(first, 'message'))[0]).length, half.length + 1);
    first.send(half, { fin: false });
    first.terminate();
    await once(first, 'close');
    await letArrive();
  }
});

test('a message that exceeds the memory for arriving bodies is not read any further', async (t) => {
  const limits = { bodyBytes: 64_000_000, arrivingBytes: 1_000_000 };
  const { port } = await startServer(t, { limits });
  const socket = connect(port, '127.0.0.1');
  t.after(() => socket.destroy());
  socket.on('error', () => {});
  socket.write(
    `GET /ws/v3/${KEY} HTTP/1.1\r\nHost: ${HOST}\r\nConnection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n`,
  );
  await once(socket, 'data');
  const head = Buffer.from([0x81, 0xff, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0]);
  // Larger than the kernel's buffers of both ends.
  head.writeUInt32BE(60_000_000, 6);
  socket.write(head);
  let isTaken = false;
  socket.write(Buffer.alloc(59_000_000, 0x20), () => {
    isTaken = true;
  });
  let frame = Buffer.alloc(0);
  // Head and payload of a frame may arrive separately, and the service's empty ping before both.
  while (frame.length < 4 || frame[0] === 0x89) {
    if (frame[0] === 0x89 && frame.length >= 2) frame = frame.subarray(2);
    else frame = Buffer.concat([frame, (await once(socket, 'data'))[0] as Buffer]);
  }
  assert.deepEqual([frame[0], frame.readUInt16BE(2)], [0x88, 1013]);
  // When the socket closes, node calls the write callback whether or not all bytes were taken.
  const wasTaken = await new Promise<boolean>((resolve) => {
    socket.once('error', () => resolve(isTaken));
    socket.once('close', () => resolve(isTaken));
  });
  assert.equal(wasTaken, false);
});
