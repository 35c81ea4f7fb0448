import assert from 'node:assert/strict';
import type { Socket } from 'node:net';
import { after, test } from 'node:test';
import { gzipSync } from 'node:zlib';
import type { JsonStream } from '../../../packages/ethereum/primitives/json-result.ts';
import { createHttpTransport } from '../../../src/pool/transport/http-transport.ts';
import type { Transport, TransportLimits } from '../../../src/pool/transport/transport.ts';
import { waitUntil } from '../../support/wait-until.ts';
import { CALL, faultOf, inTime, LIMITS, type Node, serveRaw } from './servers.ts';

const open: { close(): Promise<void> }[] = [];
after(async () => {
  for (const one of open.reverse()) await one.close();
});

async function reach(starting: Promise<Node>, limits: Partial<TransportLimits> = {}): Promise<Transport> {
  const node = await starting;
  const transport = createHttpTransport(node.endpoint, { ...LIMITS, ...limits });
  open.push(node, transport);
  return transport;
}

async function stream(transport: Transport): Promise<JsonStream> {
  const reply = await transport.send(CALL, inTime());
  assert.ok(reply.kind === 'result' && typeof reply.result !== 'string', 'the result is no stream');
  return reply.result;
}

async function readAll({ pieces }: JsonStream): Promise<Buffer> {
  const read: Uint8Array[] = [];
  for await (const piece of pieces) read.push(piece);
  return Buffer.concat(read);
}

/** Reads chunks until the stream breaks. @returns the bytes read */
async function readUntilFault(result: JsonStream, kind: Parameters<typeof faultOf>[1]): Promise<Buffer> {
  const read: Uint8Array[] = [];
  const reading = (async () => {
    for await (const piece of result.pieces) read.push(piece);
  })();
  await faultOf(reading, kind);
  return Buffer.concat(read);
}

const MEGABYTE = 1024 * 1024;
/** A list of distinct hashes of about `size` bytes. */
function makeResult(size: number): string {
  const hashes = Array.from(
    { length: Math.ceil(size / 69) },
    (_, i) => `0x${i.toString(16).padStart(64, '0')}`,
  );
  return JSON.stringify(hashes);
}

function write(socket: Socket, bytes: string | Buffer): Promise<void> {
  return new Promise((resolve) => socket.write(bytes, () => resolve()));
}

const head = (length: number | string): string =>
  typeof length === 'number'
    ? `HTTP/1.1 200 OK\r\ncontent-length: ${length}\r\n\r\n`
    : `HTTP/1.1 200 OK\r\n${length}\r\n\r\n`;

test('results up to the threshold are texts, longer ones streams', async () => {
  for (const length of [999, 1_000, 1_001]) {
    const result = JSON.stringify('x'.repeat(length - 2));
    const transport = await reach(
      serveRaw((socket, id) => {
        const body = `{"id":${id},"result":${result}}`;
        socket.write(head(body.length) + body);
      }),
      { streamBytes: 1_000 },
    );
    const reply = await transport.send(CALL, inTime());
    assert.ok(reply.kind === 'result');
    assert.equal(typeof reply.result === 'string', length <= 1_000);
    const text = typeof reply.result === 'string' ? reply.result : (await readAll(reply.result)).toString();
    assert.equal(text, result);
  }
});

test('a result that is large by the declared length is returned with its first bytes', async () => {
  const first = 'x'.repeat(20_000);
  const rest = 'y'.repeat(3 * MEGABYTE);
  let finish: (() => void) | undefined;
  const transport = await reach(
    serveRaw((socket, id) => {
      const begin = `{"id":${id},"result":"${first}`;
      socket.write(head(begin.length + rest.length + 2) + begin);
      finish = () => socket.write(`${rest}"}`);
    }),
  );
  const result = await stream(transport);
  finish?.();
  assert.equal((await readAll(result)).toString(), `"${first}${rest}"`);
});

test('an error in a long answer is read whole, even behind a null result', async () => {
  const data = `0x${'ab'.repeat(1_900_000)}`;
  const transport = await reach(
    serveRaw((socket, id) => {
      const body = `{"id":${id},"result":null,"error":{"code":3,"message":"reverted","data":"${data}"}}`;
      socket.write(head(body.length) + body);
    }),
  );
  const reply = await transport.send(CALL, inTime());
  assert.ok(reply.kind === 'error');
  assert.equal(reply.error.data, data);
});

for (const form of ['length', 'chunked', 'chunk extensions', 'gzip'] as const) {
  test(`a large result (${form}) arrives whole, with any surrounding members`, async () => {
    const result = makeResult(3 * MEGABYTE);
    const transport = await reach(
      serveRaw((socket, id, _connection, count) => {
        const text =
          count === 0
            ? `{"jsonrpc":"2.0","result":${result},"error":null,"id":${id}}\n`
            : `{"id":${id},"result": ${result} ,"extra":[1]}`;
        if (form === 'length') socket.write(head(text.length) + text);
        else if (form === 'gzip') {
          const encoded = gzipSync(text);
          socket.write(head(`content-encoding: gzip\r\ncontent-length: ${encoded.length}`));
          socket.write(encoded);
        } else {
          socket.write(head('transfer-encoding: chunked'));
          const [length, extension] = form === 'chunked' ? [5_000, ''] : [500, `;${'x'.repeat(3_000)}`];
          for (let at = 0; at < text.length; at += length) {
            const part = text.slice(at, at + length);
            socket.write(`${part.length.toString(16)}${extension}\r\n${part}\r\n`);
          }
          socket.write('0\r\n\r\n');
        }
      }),
      { connections: 1 },
    );
    for (let i = 0; i < 3; i++) assert.equal((await readAll(await stream(transport))).toString(), result);
  });
}

test('a slow reader applies backpressure to the node: 21 MB are not buffered', async () => {
  const size = 21 * MEGABYTE;
  let written = 0;
  const result = Buffer.from(makeResult(size));
  const transport = await reach(
    serveRaw(async (socket, id) => {
      const begin = `{"id":${id},"result":`;
      await write(socket, head(begin.length + result.length + 1) + begin);
      for (let at = 0; at < result.length; at += 65_536) {
        await write(socket, result.subarray(at, at + 65_536));
        written = at;
      }
      await write(socket, '}');
    }),
  );
  const { pieces } = await stream(transport);
  const iterator = pieces[Symbol.asyncIterator]();
  const parts: Uint8Array[] = [];
  const take = async (bytes: number): Promise<void> => {
    for (let taken = 0; taken < bytes; ) {
      const { done, value } = await iterator.next();
      if (done) return;
      taken += value.length;
      parts.push(value);
    }
  };
  /** Waits until the written bytes stop growing: the kernel's buffers of both ends hold some megabytes. */
  const complete = async (): Promise<number> => {
    for (let last = -1; last !== written; ) {
      last = written;
      await new Promise((resolve) => setTimeout(resolve, 100));
    }
    return written;
  };
  const heapBefore = process.memoryUsage().arrayBuffers;
  const atFirst = await complete();
  assert.ok(atFirst < 16 * MEGABYTE, `${atFirst} bytes were written before the first read`);
  await take(2 * MEGABYTE);
  const later = await complete();
  assert.ok(later < atFirst + 8 * MEGABYTE, `${later - atFirst} bytes were written for 2 MiB that were read`);
  // The process itself buffers little of the written data.
  assert.ok(process.memoryUsage().arrayBuffers - heapBefore < 8 * MEGABYTE);
  await take(size * 2);
  assert.ok(Buffer.concat(parts).equals(result));
});

test('a stream that breaks, ends malformed or belongs to another call withholds its last bytes', async () => {
  const result = makeResult(MEGABYTE);
  const whole = (id: number): string => `{"result":${result},"id":${id}}`;
  const cases: readonly [string, 'unreachable' | 'malformed', (id: number) => string][] = [
    ['cut in the result', 'unreachable', (id) => whole(id).slice(0, -1_000)],
    ['cut behind the result', 'unreachable', (id) => whole(id).slice(0, -1)],
    ['another id', 'malformed', (id) => whole(id).replace(/\d}$/, '7777}')],
    ['no id', 'malformed', () => `{"result":${result}}`],
    ['an error too', 'malformed', (id) => `${whole(id).slice(0, -1)},"error":{"code":1,"message":""}}`],
    ['a broken end', 'malformed', (id) => `${whole(id).slice(0, -1)}]`],
    [
      'a broken middle',
      'malformed',
      (id) =>
        whole(id)
          .replace(/"0x00fff/, '"\u00010x00fff')
          .replace(/,(?="id")/, ',,'),
    ],
    ['something behind', 'malformed', (id) => `${whole(id)}x`],
    ['the result twice', 'malformed', (id) => `${whole(id).slice(0, -1)},"result":1}`],
  ];
  for (const [name, kind, makeBody] of cases) {
    const transport = await reach(
      serveRaw((socket, id) => {
        const body = makeBody(id);
        const length = kind === 'unreachable' ? whole(id).length : body.length;
        socket.end(head(length) + body);
      }),
    );
    const read = await readUntilFault(await stream(transport), kind);
    assert.ok(read.length < result.length, name);
    assert.equal(result.slice(0, read.length), read.toString(), name);
  }
});

test('a wrong id or an error before the result is detected before streaming', async () => {
  const result = makeResult(MEGABYTE);
  for (const begin of ['{"id":99', '{"error":{"code":1,"message":""}']) {
    const transport = await reach(
      serveRaw((socket) => {
        const body = `${begin},"result":${result}}`;
        socket.write(head(body.length) + body);
      }),
    );
    await faultOf(transport.send(CALL, inTime()), 'malformed');
  }
});

test('the bound of an answer ends a stream', async () => {
  const bound = { answerBytes: 2 * MEGABYTE };
  const bodyOf = (id: number): string => `{"id":${id},"result":${makeResult(3 * MEGABYTE)}}`;
  const known = await reach(
    serveRaw((socket, id) => socket.write(head(bodyOf(id).length) + bodyOf(id))),
    bound,
  );
  await faultOf(known.send(CALL, inTime()), 'tooLarge');
  const unknown = await reach(
    serveRaw((socket, id) => socket.end(head('connection: close') + bodyOf(id))),
    bound,
  );
  await readUntilFault(await stream(unknown), 'tooLarge');
});

test('a stream that stalls while it is read fails, one that is not read does not', async () => {
  const result = makeResult(2 * MEGABYTE);
  let finish = (): void => {};
  const transport = await reach(
    serveRaw((socket, id) => {
      const body = `{"id":${id},"result":${result}}`;
      socket.write(head(body.length) + body.slice(0, -10));
      finish = () => socket.write(body.slice(-10));
    }),
    { stallTimeout: 100 },
  );
  await readUntilFault(await stream(transport), 'timeout');
  const second = await stream(transport);
  await new Promise((resolve) => setTimeout(resolve, 400));
  finish();
  assert.equal((await readAll(second)).toString(), result);
});

test('a cancelled stream closes its connection and frees its place', async () => {
  const result = makeResult(8 * MEGABYTE);
  let closed = 0;
  const transport = await reach(
    serveRaw((socket, id) => {
      const body = `{"id":${id},"result":${result}}`;
      socket.on('close', () => closed++);
      socket.write(head(body.length) + body);
    }),
    { connections: 1, inFlight: 1 },
  );
  (await stream(transport)).cancel();
  await waitUntil(() => closed === 1);
  for await (const piece of (await stream(transport)).pieces) {
    assert.ok(piece.length > 0);
    break;
  }
  await waitUntil(() => closed === 2);
  const third = await stream(transport);
  third.cancel();
  await faultOf(readAll(third), 'aborted');
  await waitUntil(() => closed === 3);
  assert.equal((await readAll(await stream(transport))).toString(), result);
});

test('closing the transport breaks streams', async () => {
  const transport = await reach(
    serveRaw((socket, id) => {
      socket.write(`${head(9 * MEGABYTE)}{"id":${id},"result":${makeResult(MEGABYTE)}`);
    }),
  );
  const result = await stream(transport);
  await Promise.all([readUntilFault(result, 'unreachable'), transport.close()]);
});

test('an error is read whole up to the bound of an answer, whatever the HTTP status', async () => {
  const data = `0x${'ab'.repeat(1_500_000)}`;
  for (const status of ['200 OK', '400 Bad Request', '500 Internal Server Error']) {
    for (const before of ['', `"extra":"${'x'.repeat(1_000)}",`]) {
      const starting = serveRaw((socket, id) => {
        const error = JSON.stringify({ code: 3, message: 'execution reverted', data });
        const body = `{"jsonrpc":"2.0",${before}"id":${id},"error":${error}}`;
        socket.write(`HTTP/1.1 ${status}\r\ncontent-length: ${body.length}\r\n\r\n${body}`);
      });
      const transport = await reach(starting, { streamBytes: 1_000 });
      const reply = await transport.send(CALL, inTime());
      assert.ok(reply.kind === 'error' && reply.error.data === data, status);
    }
  }
});

test('an error beyond the bound of an answer is too large, and so is an irrelevant long member', async () => {
  const long = 'ab'.repeat(1_500_000);
  for (const member of ['"error":{"code":3,"data":', '"extra":']) {
    const starting = serveRaw((socket, id) => {
      const body = `{"jsonrpc":"2.0","id":${id},${member}"0x${long}"${member === '"extra":' ? '' : '}'}}`;
      socket.on('error', () => {});
      socket.write(head(body.length) + body);
    });
    const answerBytes = member === '"extra":' ? 8 * MEGABYTE : 2 * MEGABYTE;
    const transport = await reach(starting, { streamBytes: 1_000, answerBytes });
    await faultOf(transport.send(CALL, inTime()), 'tooLarge');
  }
});
