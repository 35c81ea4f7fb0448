import assert from 'node:assert/strict';
import type { IncomingMessage } from 'node:http';
import { Duplex } from 'node:stream';
import { test } from 'node:test';
import { setImmediate as nextTurn } from 'node:timers/promises';
import fc from 'fast-check';
import { type WebSocket, WebSocketServer } from 'ws';
import { readFastPathFrames } from '../../src/server/fast-path-frames.ts';
import { countRuns } from '../support/count-runs.ts';

const MAX_BYTES = 70_000;
const UPGRADE = {
  method: 'GET',
  headers: {
    upgrade: 'websocket',
    connection: 'Upgrade',
    'sec-websocket-version': '13',
    'sec-websocket-key': 'AAAAAAAAAAAAAAAAAAAAAA==',
  },
};
const [TEXT, BINARY, PING] = [0x1, 0x2, 0x9];

/** Server side of a WebSocket, recording in order the messages read from chunks and the bytes sent. */
class Reader {
  readonly seen: string[] = [];
  readonly ws: WebSocket;
  /** Chunks that were passed to the library. */
  passedOn = 0;
  readonly #socket: Duplex;

  constructor(isPlainReadHere: boolean, maxBytes = MAX_BYTES) {
    const { seen } = this;
    this.#socket = new Duplex({
      read() {},
      write(chunk: Buffer, _encoding, done) {
        seen.push(`sent ${chunk.toString('hex')}`);
        done();
      },
    });
    const server = new WebSocketServer({
      noServer: true,
      maxPayload: maxBytes,
      maxFragments: 3,
      maxBufferedChunks: 20,
    });
    let opened: WebSocket | undefined;
    server.handleUpgrade(UPGRADE as unknown as IncomingMessage, this.#socket, Buffer.alloc(0), (ws) => {
      opened = ws;
    });
    this.ws = opened as unknown as WebSocket;
    this.ws.on('message', (data, isBinary) =>
      seen.push(`${isBinary ? 'binary' : 'text'} ${(data as Buffer).toString('hex')}`),
    );
    this.ws.on('ping', () => seen.push('ping'));
    this.ws.on('pong', () => seen.push('pong'));
    this.ws.on('error', (error) => seen.push(error.message));
    this.ws.on('close', (code) => seen.push(`closed ${code}`));
    const { _receiver: receiver } = this.ws as unknown as { _receiver: { write(chunk: Buffer): boolean } };
    const write = receiver.write.bind(receiver);
    receiver.write = (chunk) => {
      this.passedOn++;
      return write(chunk);
    };
    if (isPlainReadHere) readFastPathFrames(this.ws, maxBytes);
  }

  async read(chunks: readonly Buffer[]): Promise<readonly string[]> {
    for (const chunk of chunks) {
      this.#socket.push(Buffer.from(chunk));
      await nextTurn();
    }
    return this.seen;
  }

  close(): void {
    this.ws.terminate();
  }
}

type FrameParts = { readonly first: number; readonly payload: Buffer; readonly mask: Buffer | undefined };

function encode({ first, payload, mask }: FrameParts): Buffer {
  const { length } = payload;
  const head = Buffer.alloc(length <= 125 ? 2 : length <= 65_535 ? 4 : 10);
  head[0] = first;
  head[1] = (mask === undefined ? 0 : 0x80) | (length <= 125 ? length : length <= 65_535 ? 126 : 127);
  if (head.length === 4) head.writeUInt16BE(length, 2);
  if (head.length === 10) head.writeBigUInt64BE(BigInt(length), 2);
  const masked = payload.map((byte, at) => byte ^ (mask?.[at % 4] ?? 0));
  return Buffer.concat([head, mask ?? Buffer.alloc(0), masked]);
}

const text = (words: string, mask: readonly number[] = [1, 2, 3, 4]): Buffer =>
  encode({ first: 0x80 | TEXT, payload: Buffer.from(words), mask: Buffer.from(mask) });

/** Returns the events of both readers for the chunks; the first is the reader under test. */
async function readTwice(chunks: readonly Buffer[]): Promise<readonly (readonly string[])[]> {
  const readers = [new Reader(true), new Reader(false)];
  const seen = await Promise.all(readers.map((reader) => reader.read(chunks)));
  for (const reader of readers) reader.close();
  return seen;
}

test('single-frame text messages are read without the library, in any number at once', async () => {
  const reader = new Reader(true);
  const words = ['', '{}', 'ä€😀', 'x'.repeat(125), 'y'.repeat(126), 'z'.repeat(65_535)];
  const frames = words.map((word, at) => text(word, [at, 7, 0, 255]));
  const seen = await reader.read([...frames, Buffer.concat(frames)]);
  const expected = words.map((word) => `text ${Buffer.from(word).toString('hex')}`);
  assert.deepEqual(seen.slice(1), [...expected, ...expected]);
  assert.equal(reader.passedOn, 0);
  reader.close();
});

test('after a frame for the library, single-frame text messages are read without it again', async () => {
  const reader = new Reader(true);
  const ping = encode({ first: 0x80 | PING, payload: Buffer.from('p'), mask: Buffer.from([9, 9, 9, 9]) });
  const whole = text('in two');
  const binary = encode({ first: 0x80 | BINARY, payload: Buffer.from('b'), mask: Buffer.from([1, 1, 1, 1]) });
  const chunks = [ping, text('one'), whole.subarray(0, 5), whole.subarray(5), text('two'), binary];
  const seen = await reader.read([...chunks, text('three')]);
  const texts = seen.filter((line) => line.startsWith('text '));
  assert.deepEqual(
    texts,
    ['one', 'in two', 'two', 'three'].map((word) => `text ${Buffer.from(word).toString('hex')}`),
  );
  assert.equal(reader.passedOn, 4);
  reader.close();
});

for (const [name, hide] of [
  ['has no receiver', (ws: WebSocket): unknown => Object.assign(ws, { _receiver: undefined })],
  [
    'does not say where in a message it is',
    (ws: WebSocket): unknown => {
      const { _receiver: receiver } = ws as unknown as { _receiver: object };
      const hidden = new Proxy(receiver, {
        get: (target, key) =>
          ['_state', '_bufferedBytes', '_fragmented'].includes(key as string)
            ? undefined
            : Reflect.get(target, key),
      });
      return Object.assign(ws, { _receiver: hidden });
    },
  ],
] as const) {
  test(`a library that ${name} reads every frame`, async () => {
    const reader = new Reader(false);
    const { _receiver: receiver } = reader.ws as unknown as { _receiver: object };
    hide(reader.ws);
    readFastPathFrames(reader.ws, MAX_BYTES);
    Object.assign(reader.ws, { _receiver: receiver });
    const seen = await reader.read([text('one'), text('two')]);
    assert.deepEqual(seen.slice(1), [
      `text ${Buffer.from('one').toString('hex')}`,
      `text ${Buffer.from('two').toString('hex')}`,
    ]);
    assert.equal(reader.passedOn, 2);
    reader.close();
  });
}

test('frames behind a Close frame are read as the library reads them', async () => {
  const close = encode({ first: 0x88, payload: Buffer.from([0x03, 0xe8]), mask: Buffer.from([1, 2, 3, 4]) });
  for (const chunks of [
    [text('before'), Buffer.concat([close, text('behind')])],
    [close, text('behind')],
    [Buffer.concat([text('before'), close]), text('behind'), text('again')],
  ]) {
    const [seen, expected] = await readTwice(chunks);
    assert.deepEqual(seen, expected);
  }
});

test('a message that is too long or not UTF-8 is refused by the library', async () => {
  const bad = encode({
    first: 0x80 | TEXT,
    payload: Buffer.from([0x22, 0xff]),
    mask: Buffer.from([5, 6, 7, 8]),
  });
  const [seen, expected] = await readTwice([text('before'), bad]);
  assert.deepEqual(seen, expected);
  assert.ok(seen?.includes('Invalid WebSocket frame: invalid UTF-8 sequence'));
  const bounded = new Reader(true, 3);
  assert.ok((await bounded.read([text('123'), text('1234')])).includes('Max payload size exceeded'));
  assert.equal(bounded.passedOn, 1);
  bounded.close();
});

test('any bytes in any chunks are read as the library reads them', async () => {
  const payload = fc.oneof(
    fc.string({ unit: 'grapheme', maxLength: 200 }).map((words) => Buffer.from(words)),
    fc.uint8Array({ maxLength: 140 }).map((bytes) => Buffer.from(bytes)),
    fc.constantFrom(126, 65_535, 65_536, 69_999, 70_001).map((length) => Buffer.alloc(length, 'a')),
  );
  const first = fc.oneof(
    { weight: 8, arbitrary: fc.constant(0x80 | TEXT) },
    { weight: 3, arbitrary: fc.constantFrom(0x00, TEXT, 0x80, 0x80 | BINARY, 0x80 | PING, 0x8a, 0x88) },
    { weight: 1, arbitrary: fc.nat(255) },
  );
  const mask = fc.oneof(
    {
      weight: 30,
      arbitrary: fc.uint8Array({ minLength: 4, maxLength: 4 }).map((bytes) => Buffer.from(bytes)),
    },
    { weight: 1, arbitrary: fc.constant(undefined) },
  );
  const frames = fc.array(fc.record({ first, payload, mask }), { minLength: 1, maxLength: 8 });
  const cuts = fc.array(fc.nat(1_000), { maxLength: 6 });
  await fc.assert(
    fc.asyncProperty(frames, cuts, async (parts, places) => {
      const encoded = parts.map(encode);
      const bytes = Buffer.concat(encoded);
      // Most chunks end between two frames.
      const between = encoded.map((_, at) => Buffer.concat(encoded.slice(0, at)).length);
      const within = places.map((place) => Math.floor((place * bytes.length) / 1_000));
      const ends = places.length % 2 === 0 ? [...between, ...within] : within;
      const ordered = [0, ...ends.sort((a, b) => a - b), bytes.length];
      const chunks = ordered.slice(1).map((end, at) => bytes.subarray(ordered[at], end));
      const [seen, expected] = await readTwice(chunks.filter(({ length }) => length > 0));
      assert.deepEqual(seen, expected);
    }),
    { numRuns: countRuns(400) },
  );
});
