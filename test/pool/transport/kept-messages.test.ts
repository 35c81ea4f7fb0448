/** Long messages of a WebSocket are read in the chunks in which they arrive. */
import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import type { Socket } from 'node:net';
import { after, type TestContext, test } from 'node:test';
import type { NodeReply } from '../../../src/pool/node-call.ts';
import { BUFFERED_BYTES } from '../../../src/pool/transport/message-gate.ts';
import { NodeSocket } from '../../../src/pool/transport/node-socket.ts';
import type { Transport } from '../../../src/pool/transport/transport.ts';
import { createWebSocketTransport } from '../../../src/pool/transport/ws-transport.ts';
import { waitUntil } from '../../support/wait-until.ts';
import { readAll } from '../support/scripted-stream.ts';
import { CALL, faultOf, inTime, LIMITS, serveRaw } from './servers.ts';

const open: { close(): Promise<void> }[] = [];
after(async () => {
  for (const one of open.reverse()) await one.close();
});

const MiB = 1024 * 1024;
const TEXT = 1;
const PING = 9;

function encodeFrame(opcode: number, isLast: boolean, payload: string | Buffer): Buffer {
  const bytes = Buffer.from(payload);
  const head = Buffer.alloc(bytes.length < 126 ? 2 : bytes.length < 65_536 ? 4 : 10);
  head[0] = (isLast ? 0x80 : 0) | opcode;
  head[1] = head.length === 2 ? bytes.length : head.length === 4 ? 126 : 127;
  if (head.length === 4) head.writeUInt16BE(bytes.length, 2);
  if (head.length === 10) head.writeBigUInt64BE(BigInt(bytes.length), 2);
  return Buffer.concat([head, bytes]);
}

/** Encodes a message in frames of this many bytes, with occasional pings between them. */
function encodeMessage(text: string, frameBytes: number): Buffer {
  const bytes = Buffer.from(text);
  const frames: Buffer[] = [];
  for (let at = 0; at < bytes.length; at += frameBytes) {
    const payload = bytes.subarray(at, at + frameBytes);
    frames.push(encodeFrame(at === 0 ? TEXT : 0, at + frameBytes >= bytes.length, payload));
    if (frames.length % 1_000 === 1) frames.push(encodeFrame(PING, true, 'ping'));
  }
  return Buffer.concat(frames);
}

/** A node whose WebSocket sends these bytes in answer to the first message. */
async function serve(write: (socket: Socket) => void): Promise<URL> {
  const node = await serveRaw((socket, _id, _connection, _count, request) => {
    const key = /sec-websocket-key: (.*)\r\n/i.exec(request)?.[1] ?? '';
    const accept = createHash('sha1').update(`${key}258EAFA5-E914-47DA-95CA-C5AB0DC85B11`).digest('base64');
    socket.removeAllListeners('data');
    socket.once('data', () => write(socket));
    socket.write(
      `HTTP/1.1 101 Switching Protocols\r\nupgrade: websocket\r\nconnection: upgrade\r\nsec-websocket-accept: ${accept}\r\n\r\n`,
    );
  });
  open.push(node);
  const url = new URL(node.endpoint.url);
  url.protocol = 'ws:';
  return url;
}

async function reach(write: (socket: Socket) => void): Promise<Transport> {
  const transport = createWebSocketTransport({ url: await serve(write), headers: {} }, LIMITS);
  open.push(transport);
  return transport;
}

async function readResult(reply: NodeReply): Promise<string> {
  assert.equal(reply.kind, 'result');
  return reply.kind === 'result' ? await readAll(reply.result) : '';
}

const answer = (id: number, result: string): string => `{"jsonrpc":"2.0","id":${id},"result":${result}}`;

/** Watches the size of the largest buffer that the library allocates. */
function watchBuffers(context: TestContext): () => number {
  let most = 0;
  const { allocUnsafe } = Buffer;
  context.mock.method(Buffer, 'allocUnsafe', (bytes: number) => {
    most = Math.max(most, bytes);
    return allocUnsafe(bytes);
  });
  return () => most;
}

for (const [what, frameBytes] of [
  ['one frame', 64 * MiB],
  ['frames of 64 KiB', 65_536],
  ['frames of a kilobyte', 1_024],
] as const)
  test(`${what}: long messages are never joined, and messages around them are read`, async (context) => {
    const long = `"${'aé€💡'.repeat(1.8 * MiB)}"`;
    const messages = [answer(1, '"before"'), answer(2, long), answer(3, '"behind"'), answer(4, long)];
    const bytes = Buffer.concat(messages.map((each) => encodeMessage(each, frameBytes)));
    const transport = await reach((socket) => socket.write(bytes));
    const most = watchBuffers(context);
    const replies = await Promise.all(messages.map(() => transport.send(CALL, inTime())));
    assert.ok(most() <= BUFFERED_BYTES, `${most()} bytes at a time`);
    assert.deepEqual(await Promise.all(replies.map(readResult)), ['"before"', long, '"behind"', long]);
  });

test('frame heads may be split anywhere', async () => {
  const long = `"${'ab'.repeat(BUFFERED_BYTES)}"`;
  const [first, second] = [encodeFrame(TEXT, true, answer(1, long)), encodeFrame(TEXT, true, answer(2, '1'))];
  for (let cut = 1; cut <= 11; cut++) {
    const transport = await reach(async (socket) => {
      const all = Buffer.concat([second, first]);
      // Each part arrives in a read of its own.
      for (const part of [all.subarray(0, second.length + cut), all.subarray(second.length + cut)]) {
        socket.write(part);
        await new Promise((resolve) => setTimeout(resolve, 20));
      }
      for (let at = 0; at < third.length; at++) {
        socket.write(third.subarray(at, at + 1));
        await new Promise(setImmediate);
      }
    });
    const third = encodeFrame(TEXT, true, answer(3, '"last"'));
    const replies = await Promise.all([1, 2, 3].map(() => transport.send(CALL, inTime())));
    assert.deepEqual(await Promise.all(replies.map(readResult)), [long, '1', '"last"']);
  }
});

test('a long message with a short result is read like others', async () => {
  const beside = `"${'x'.repeat(2 * BUFFERED_BYTES)}"`;
  const texts = [
    `{"id":1,"beside":${beside},"result":"0x1"}`,
    `{"id":2,"beside":${beside},"error":{"code":3,"message":"no","data":"0x08"}}`,
  ];
  const transport = await reach((socket) => {
    for (const text of texts) socket.write(encodeFrame(TEXT, true, text));
  });
  const replies = await Promise.all(texts.map(() => transport.send(CALL, inTime())));
  const error = { code: 3, message: 'no', data: '0x08' };
  assert.deepEqual(replies, [
    { kind: 'result', result: '"0x1"' },
    { kind: 'error', error },
  ]);
});

test('a long message that is not JSON fails its call', async () => {
  const transport = await reach((socket) => {
    socket.write(encodeFrame(TEXT, true, `${answer(1, `"${'x'.repeat(2 * BUFFERED_BYTES)}"`)}x`));
  });
  await faultOf(transport.send(CALL, inTime()), 'malformed');
});

for (const [what, second] of [
  ['another text', encodeFrame(TEXT, true, 'x')],
  ['a binary message', encodeFrame(2, true, 'x')],
  ['an opcode that is not known', encodeFrame(3, true, 'x')],
  ['a bit of an extension', encodeFrame(0x40, true, 'x')],
  ['a masked frame', Buffer.of(0x80, 0x81, 0, 0, 0, 0, 0x20)],
] as const)
  test(`${what} within a long message ends the connection`, async () => {
    const transport = await reach((socket) => {
      socket.write(encodeFrame(TEXT, false, answer(1, `"${'x'.repeat(2 * BUFFERED_BYTES)}"`)));
      socket.write(second);
    });
    const fault = await faultOf(transport.send(CALL, inTime()), 'unreachable');
    assert.match(fault.message, /WS_ERR/);
  });

test('unread bytes of a broken connection are read without being parsed as frames', async () => {
  const sockets: Socket[] = [];
  const note = (message: unknown): void => void sockets.push((message as { socket: Socket }).socket);
  subscribe('net.client.socket', note);
  const sent = encodeFrame(TEXT, true, ' '.repeat(2 * BUFFERED_BYTES)).subarray(0, BUFFERED_BYTES);
  const url = await serve((socket) => socket.write(sent));
  const read: Buffer[] = [];
  const fault = await new Promise<string>((resolve) => {
    let client: Socket | undefined;
    const node = new NodeSocket({ url, headers: {} }, LIMITS, {
      onOpen: () => node.send('{}'),
      onMessage: () => {},
      onDown: ({ message }) => resolve(message),
      onBytes: (chunk) => {
        read.push(chunk);
        if (client !== undefined) return;
        client = sockets.find(({ remotePort }) => remotePort === Number(url.port)) as Socket;
        client.pause();
        const breakLater = async (broken: Socket): Promise<void> => {
          await waitUntil(() => broken.readableLength > 0);
          broken.destroy(new Error('broken'));
        };
        void breakLater(client);
      },
    });
  });
  unsubscribe('net.client.socket', note);
  const all = Buffer.concat(read);
  assert.equal(fault, 'the connection to the node was lost');
  assert.ok(read.length > 1);
  assert.ok(all.equals(sent.subarray(0, all.length)));
});
