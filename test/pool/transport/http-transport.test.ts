import assert from 'node:assert/strict';
import type { ServerResponse } from 'node:http';
import { after, describe, test } from 'node:test';
import * as zlib from 'node:zlib';
import { brotliCompressSync, deflateSync, gzipSync } from 'node:zlib';
import type { FaultKind } from '../../../src/pool/fault.ts';
import { createHttpTransport } from '../../../src/pool/transport/http-transport.ts';
import type { Transport, TransportLimits } from '../../../src/pool/transport/transport.ts';
import { waitUntil } from '../../support/wait-until.ts';
import {
  type Asked,
  CALL,
  faultOf,
  inTime,
  LIMITS,
  type Node,
  rawAnswer,
  serveHttp,
  serveRaw,
} from './servers.ts';

const open: { close(): Promise<void> }[] = [];
after(async () => {
  for (const one of open.reverse()) await one.close();
});

async function reach(
  starting: Promise<Node>,
  limits: Partial<TransportLimits> = {},
): Promise<[Transport, Node]> {
  const node = await starting;
  const transport = createHttpTransport(node.endpoint, { ...LIMITS, ...limits });
  open.push(node, transport);
  return [transport, node];
}

/** Outcome of one call when the node answers with this body and status. */
async function send(
  body: string | Buffer | ((id: number) => string),
  status = 200,
  headers: Record<string, string | string[]> = {},
  limits: Partial<TransportLimits> = {},
): Promise<unknown> {
  const [transport] = await reach(
    serveHttp((response, { id }) => {
      response.writeHead(status, headers).end(typeof body === 'function' ? body(id) : body);
    }),
    limits,
  );
  return transport.send(CALL, inTime());
}

const result = (id: number): string => `{"jsonrpc":"2.0","id":${id},"result":"0x1"}`;
const failure = (id: number | string): string =>
  `{"jsonrpc":"2.0","id":${id},"error":{"code":3,"message":"execution reverted","data":"0x08"}}`;
const RESULT = { kind: 'result', result: '"0x1"' };
const FAILURE = { kind: 'error', error: { code: 3, message: 'execution reverted', data: '0x08' } };

test('one call is one POST request with the configured headers', async () => {
  const requested: Asked[] = [];
  const node = await serveHttp((response, one) => {
    requested.push(one);
    response.end(result(one.id));
  });
  const headers = { authorization: 'Bearer secret', 'x-team': 'blue' };
  const transport = createHttpTransport({ ...node.endpoint, headers }, LIMITS);
  open.push(node, transport);
  assert.deepEqual(
    await transport.send({ method: 'eth_call', params: '[{"to":"0x00"},"latest"]' }, inTime()),
    RESULT,
  );
  assert.deepEqual(await transport.send(CALL, inTime()), RESULT);
  const [{ request, body }] = requested as [Asked];
  assert.equal(body, '{"jsonrpc":"2.0","id":1,"method":"eth_call","params":[{"to":"0x00"},"latest"]}');
  assert.equal(request.method, 'POST');
  assert.equal(request.url, '/rpc/key?network=1');
  assert.equal(request.headers['content-type'], 'application/json');
  assert.equal(request.headers['accept-encoding'], 'identity');
  assert.equal(request.headers['authorization'], 'Bearer secret');
  assert.equal(request.headers['x-team'], 'blue');
  assert.deepEqual(
    requested.map(({ id }) => id),
    [1, 2],
  );
});

const ANSWERS: readonly [string, (id: number) => string, unknown][] = [
  [
    'members in another order',
    (id) => `{"result":{"a":[1]},"jsonrpc":"2.0","id":${id}}`,
    { kind: 'result', result: '{"a":[1]}' },
  ],
  ['a null result', (id) => `{"id":${id},"result":null}`, { kind: 'result', result: 'null' }],
  ['a null error beside the result', (id) => `{"id":${id},"error":null,"result":"0x1"}`, RESULT],
  [
    'a null result beside the error',
    (id) => failure(id).replace('"error"', '"result":null,"error"'),
    FAILURE,
  ],
  [
    'white space and text beyond ASCII',
    (id) => ` {"id": ${id} ,\n"result": "é€😀" }\r\n`,
    { kind: 'result', result: '"é€😀"' },
  ],
  ['an error', failure, FAILURE],
  ['an error without an id', () => failure('null'), FAILURE],
  [
    'an error with its code as a text',
    (id) => `{"id":${id},"error":{"code":"-32005","message":"slow down"}}`,
    { kind: 'error', error: { code: -32005, message: 'slow down', data: undefined } },
  ],
  [
    'an error without a code, and with no message',
    (id) => `{"id":${id},"error":{"code":null,"message":null}}`,
    { kind: 'error', error: { code: -32000, message: '', data: undefined } },
  ],
  [
    'an error of odd types',
    (id) => `{"id":${id},"error":{"code":"x"}}`,
    { kind: 'error', error: { code: -32000, message: '', data: undefined } },
  ],
];
for (const [name, body, expected] of ANSWERS) {
  test(`send accepts ${name}`, async () => assert.deepEqual(await send(body), expected));
}

const NO_ANSWERS: readonly [string, (id: number) => string][] = [
  ['nothing', () => ''],
  ['a web page', () => '<!DOCTYPE html><html><body>OK</body></html>'],
  ['a list', (id) => `[${result(id)}]`],
  ['a string', () => '"0x1"'],
  ['the id of another call', (id) => result(id + 1)],
  ['the id as a string', (id) => `{"id":"${id}","result":"0x1"}`],
  ['the id in another form', (id) => `{"id":${id}.0,"result":"0x1"}`],
  ['no id', () => '{"result":"0x1"}'],
  ['a null id', () => '{"id":null,"result":"0x1"}'],
  ['an error of another call', (id) => failure(id + 1)],
  ['neither result nor error', (id) => `{"id":${id}}`],
  ['both result and error', (id) => `{"id":${id},"result":"0x1","error":{"code":1,"message":"x"}}`],
  [
    'an error of an infinite code',
    (id) => `{"id":${id},"error":{"code":1e400,"message":"execution reverted"}}`,
  ],
  ['an error of half a code', (id) => `{"id":${id},"error":{"code":3.5,"message":"execution reverted"}}`],
  [
    'an error of a code that JSON cannot hold',
    (id) => `{"id":${id},"error":{"code":9007199254740993,"message":"execution reverted"}}`,
  ],
  [
    'an error of a code that is a list',
    (id) => `{"id":${id},"error":{"code":[3],"message":"execution reverted"}}`,
  ],
  ['an error of a code that is no number', (id) => `{"id":${id},"error":{"code":true,"message":"x"}}`],
  ['an error with a message that is a number', (id) => `{"id":${id},"error":{"code":3,"message":7}}`],
  ['an error that is a text', (id) => `{"id":${id},"error":"no"}`],
  ['half an answer', (id) => result(id).slice(0, -4)],
  ['two answers', (id) => result(id) + result(id)],
  ['a control character in a text', (id) => `{"id":${id},"result":"\n"}`],
];
for (const [name, body] of NO_ANSWERS) {
  test(`send rejects as malformed: ${name}`, async () => {
    await faultOf(send(body), 'malformed');
  });
}

test('send rejects as malformed: bytes that are not UTF-8', async () => {
  await faultOf(send(Buffer.from('{"id":1,"result":"\xff"}', 'latin1')), 'malformed');
});

const STATUSES: readonly [
  string,
  number,
  Record<string, string | string[]>,
  (id: number) => string,
  FaultKind | 'error',
  number?,
][] = [
  ['429', 429, {}, () => 'slow down', 'rateLimited'],
  ['429 with seconds', 429, { 'retry-after': '7' }, () => '<html>', 'rateLimited', 7_000],
  ['429 with two opinions', 429, { 'retry-after': ['7', '9'] }, () => '', 'rateLimited'],
  ['429 with an answer', 429, { 'retry-after': '2' }, failure, 'rateLimited', 2_000],
  [
    '429 in the form of Infura',
    429,
    {},
    (id) => `{"id":${id},"error":{"code":-32005,"message":"x","data":{"rate":{"backoff_seconds":30}}}}`,
    'rateLimited',
    30_000,
  ],
  ['503 with seconds', 503, { 'retry-after': '1' }, failure, 'rateLimited', 1_000],
  ['503', 503, {}, () => 'maintenance', 'httpStatus'],
  ['503 with an answer', 503, {}, failure, 'error'],
  ['401', 401, {}, () => 'authentication required', 'unauthorized'],
  ['403 with an error of id null', 403, {}, () => failure('null'), 'unauthorized'],
  ['403 with our answer', 403, {}, failure, 'error'],
  ['500 with an answer', 500, {}, failure, 'error'],
  ['400 with an error of id null', 400, {}, () => failure('null'), 'error'],
  ['400 with the answer of another', 400, {}, (id) => failure(id + 1), 'httpStatus'],
  ['500 with a result', 500, {}, result, 'httpStatus'],
  ['502 with a page', 502, {}, () => '<html><title>rate limit</title>', 'httpStatus'],
  ['500 with far too much', 500, {}, () => ' '.repeat(3_000_000), 'httpStatus'],
  ['302', 302, { location: 'http://127.0.0.1:1/' }, result, 'httpStatus'],
  ['404', 404, {}, () => '', 'httpStatus'],
  ['500 in an unknown encoding', 500, { 'content-encoding': 'zstd' }, failure, 'httpStatus'],
  ['204', 204, {}, () => '', 'malformed'],
];
for (const [name, status, headers, body, expected, wait] of STATUSES) {
  test(`HTTP status ${name} has the expected outcome`, async () => {
    if (expected === 'error') assert.deepEqual(await send(body, status, headers), FAILURE);
    else assert.equal((await faultOf(send(body, status, headers), expected)).retryAfterMs, wait);
  });
}

test('a refusal whose body breaks is still a refusal', async () => {
  const [transport] = await reach(
    serveRaw((socket) => {
      socket.end('HTTP/1.1 429 Too Many Requests\r\nretry-after: 3\r\ncontent-length: 100\r\n\r\n{"id"');
    }),
  );
  assert.equal((await faultOf(transport.send(CALL, inTime()), 'rateLimited')).retryAfterMs, 3_000);
});

describe('broken answers', () => {
  test('a body cut at any byte, with or without a length, is not an answer', async () => {
    let place = 0;
    let isChunked = false;
    const whole = rawAnswer(result(1_000));
    const [transport] = await reach(
      serveRaw((socket, id) => {
        const body = result(id);
        const head = isChunked ? 'transfer-encoding: chunked' : `content-length: ${body.length}`;
        const part = body.slice(0, place);
        const text = isChunked && part !== '' ? `${part.length.toString(16)}\r\n${part}\r\n` : part;
        socket.end(`HTTP/1.1 200 OK\r\n${head}\r\n\r\n${text}`);
      }),
    );
    const length = result(10).length;
    assert.ok(whole.length > length);
    for (isChunked of [false, true]) {
      for (place = 0; place < length; place++) await faultOf(transport.send(CALL, inTime()), 'unreachable');
    }
  });

  test('a body that ends with the connection is accepted only if it is complete', async () => {
    let place = 0;
    const [transport] = await reach(
      serveRaw((socket, id) => {
        socket.end(`HTTP/1.1 200 OK\r\n\r\n${result(id).slice(0, place)}`);
      }),
    );
    for (place = 0; place < 38; place++) await faultOf(transport.send(CALL, inTime()), 'malformed');
    place = 1_000;
    assert.deepEqual(await transport.send(CALL, inTime()), RESULT);
  });

  test('a declared length that is too short truncates the answer', async () => {
    const [transport] = await reach(
      serveRaw((socket, id, connection) => {
        const body = result(id);
        const length = connection === 0 ? body.length - 3 : body.length;
        socket.write(`HTTP/1.1 200 OK\r\ncontent-length: ${length}\r\n\r\n${body}`);
      }),
    );
    await faultOf(transport.send(CALL, inTime()), 'malformed');
    assert.deepEqual(await transport.send(CALL, inTime()), RESULT);
  });

  test('an answer that precedes its request is never accepted', async () => {
    const [transport] = await reach(
      serveRaw((socket, id) => {
        socket.write(Buffer.concat([rawAnswer(result(id)), rawAnswer(result(id).replace('0x1', '0xbad'))]));
      }),
    );
    for (let i = 0; i < 5; i++) {
      const reply = await transport.send(CALL, inTime()).catch((error: unknown) => error);
      assert.doesNotMatch(JSON.stringify(reply), /0xbad/);
    }
  });

  test('a response that is not HTTP is malformed', async () => {
    const [transport] = await reach(serveRaw((socket) => socket.end('SSH-2.0-OpenSSH_9.6\r\n')));
    await faultOf(transport.send(CALL, inTime()), 'malformed');
  });

  test('an answer with each byte in a separate chunk and packet is accepted', async () => {
    const [transport] = await reach(
      serveRaw(async (socket, id) => {
        socket.setNoDelay(true);
        socket.write('HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n');
        for (const byte of result(id)) {
          socket.write(`1\r\n${byte}\r\n`);
          await new Promise((resolve) => setImmediate(resolve));
        }
        socket.write('0\r\n\r\n');
      }),
    );
    assert.deepEqual(await transport.send(CALL, inTime()), RESULT);
  });
});

describe('time limits', () => {
  test('a node that never answers causes a timeout', async () => {
    const [transport] = await reach(
      serveRaw(() => {}),
      { answerTimeout: 50 },
    );
    await faultOf(transport.send(CALL, inTime()), 'timeout');
  });

  test('a stall within the answer causes a timeout', async () => {
    const [transport] = await reach(
      serveRaw((socket, id) => socket.write(rawAnswer(result(id)).subarray(0, -2))),
      { stallTimeout: 50 },
    );
    await faultOf(transport.send(CALL, inTime()), 'timeout');
  });

  test('the deadline ends an answer that trickles', async () => {
    const timers: NodeJS.Timeout[] = [];
    const [transport] = await reach(
      serveRaw((socket) => {
        socket.write('HTTP/1.1 200 OK\r\n\r\n{"result":"');
        timers.push(setInterval(() => socket.write('0'), 5));
      }),
    );
    await faultOf(transport.send(CALL, { deadline: performance.now() + 150 }), 'timeout');
    for (const timer of timers) clearInterval(timer);
  });

  test('the deadline ends a call that waits for a connection, and the next call is served', async () => {
    const reserved: (() => void)[] = [];
    const [transport] = await reach(
      serveHttp((response, { id }) => void reserved.push(() => response.end(result(id)))),
      { connections: 1 },
    );
    const first = transport.send(CALL, inTime());
    await waitUntil(() => reserved.length === 1);
    await faultOf(transport.send(CALL, { deadline: performance.now() + 50 }), 'timeout');
    const third = transport.send(CALL, inTime());
    reserved[0]?.();
    assert.deepEqual(await first, RESULT);
    await waitUntil(() => reserved.length === 2);
    reserved[1]?.();
    assert.deepEqual(await third, RESULT);
  });

  test('a call without time left opens no connection', async () => {
    const [transport, node] = await reach(serveHttp((response, { id }) => response.end(result(id))));
    await faultOf(transport.send(CALL, { deadline: performance.now() - 1 }), 'timeout');
    assert.equal(node.connections(), 0);
  });
});

describe('cancelling', () => {
  test('an abort closes the connection', async () => {
    let requested = 0;
    let closed = 0;
    const [transport] = await reach(
      serveRaw((socket) => {
        requested++;
        socket.on('close', () => closed++);
      }),
    );
    const controller = new AbortController();
    const call = transport.send(CALL, { ...inTime(), signal: controller.signal });
    await waitUntil(() => requested === 1);
    controller.abort();
    await faultOf(call, 'aborted');
    await waitUntil(() => closed === 1);
    await faultOf(transport.send(CALL, { ...inTime(), signal: controller.signal }), 'aborted');
  });

  test('closing the transport ends calls in flight', async () => {
    const [transport] = await reach(
      serveRaw(() => {}),
      { connections: 1 },
    );
    const calls = [transport.send(CALL, inTime()), transport.send(CALL, inTime())];
    await Promise.all([...calls.map((call) => faultOf(call, 'unreachable')), transport.close()]);
    await faultOf(transport.send(CALL, inTime()), 'unreachable');
  });
});

describe('connections', () => {
  test('without a listening server calls are unreachable', async () => {
    const node = await serveRaw(() => {});
    await node.close();
    const transport = createHttpTransport(node.endpoint, LIMITS);
    open.push(transport);
    await faultOf(transport.send(CALL, inTime()), 'unreachable');
    await faultOf(transport.send(CALL, inTime()), 'unreachable');
  });

  test('an unknown host name is unreachable', async () => {
    const transport = createHttpTransport({ url: new URL('http://node.invalid/'), headers: {} }, LIMITS);
    open.push(transport);
    await faultOf(transport.send(CALL, inTime()), 'unreachable');
  });

  test('a call on a reused connection that closes is sent again on a new one', async () => {
    const [transport, node] = await reach(
      serveRaw((socket, id, _connection, count) => {
        if (count === 0) socket.write(rawAnswer(result(id)));
        else socket.resetAndDestroy();
      }),
    );
    for (let i = 0; i < 4; i++) assert.deepEqual(await transport.send(CALL, inTime()), RESULT);
    assert.ok(node.connections() >= 4);
  });

  test('a node that closes each connection gets two attempts', async () => {
    const [transport, node] = await reach(serveRaw((socket) => socket.destroy()));
    await faultOf(transport.send(CALL, inTime()), 'unreachable');
    assert.equal(node.connections(), 2);
  });

  test('a call with isOnce is sent once, and never on a reused connection', async () => {
    const [closing, node] = await reach(serveRaw((socket) => socket.destroy()));
    await faultOf(closing.send({ ...CALL, isOnce: true }, inTime()), 'unreachable');
    assert.equal(node.connections(), 1);
    const [transport] = await reach(
      serveRaw((socket, id, _connection, count) => {
        if (count === 0) socket.write(rawAnswer(result(id)));
        else socket.resetAndDestroy();
      }),
    );
    for (let i = 0; i < 4; i++)
      assert.deepEqual(await transport.send({ ...CALL, isOnce: true }, inTime()), RESULT);
  });

  test('a call whose answer has begun is not sent again', async () => {
    const [transport, node] = await reach(
      serveRaw((socket) => socket.end('HTTP/1.1 200 OK\r\ncontent-length: 9\r\n\r\n')),
    );
    await faultOf(transport.send(CALL, inTime()), 'unreachable');
    assert.equal(node.connections(), 1);
  });

  test('calls are bounded in number, and each completed call frees its place', async () => {
    const reserved: (() => void)[] = [];
    const [transport, node] = await reach(
      serveHttp((response, { id }) => void reserved.push(() => response.end(result(id)))),
      { connections: 2, inFlight: 3 },
    );
    const calls = [1, 2, 3].map(() => transport.send(CALL, inTime()));
    assert.equal((await faultOf(transport.send(CALL, inTime()), 'rateLimited')).retryAfterMs, 10);
    for (let i = 0; i < 3; i++) {
      await waitUntil(() => reserved.length > i);
      reserved[i]?.();
    }
    assert.deepEqual(await Promise.all(calls), [RESULT, RESULT, RESULT]);
    assert.equal(node.connections(), 2);
    const next = transport.send(CALL, inTime());
    await waitUntil(() => reserved.length === 4);
    reserved[3]?.();
    assert.deepEqual(await next, RESULT);
  });

  test('failed calls free their places too', async () => {
    const [transport] = await reach(
      serveRaw((socket) => socket.destroy()),
      { inFlight: 1 },
    );
    for (let i = 0; i < 5; i++) await faultOf(transport.send(CALL, inTime()), 'unreachable');
    const [hanging] = await reach(
      serveRaw(() => {}),
      { inFlight: 1, answerTimeout: 30 },
    );
    for (let i = 0; i < 3; i++) await faultOf(hanging.send(CALL, inTime()), 'timeout');
  });
});

describe('unrequested compression', () => {
  for (const [encoding, compress] of [
    ['gzip', gzipSync],
    ['x-gzip', gzipSync],
    ['deflate', deflateSync],
    ['br', brotliCompressSync],
    ['identity', (text: string) => Buffer.from(text)],
  ] as const) {
    test(`${encoding} is decoded`, async () => {
      assert.deepEqual(await send(compress(result(1)), 200, { 'content-encoding': encoding }), RESULT);
      assert.deepEqual(await send(compress(failure(1)), 500, { 'content-encoding': encoding }), FAILURE);
    });
  }

  const { zstdCompressSync } = zlib as { readonly zstdCompressSync?: (text: string) => Buffer };
  test(`zstd is ${zstdCompressSync === undefined ? 'refused: this Node.js cannot read it' : 'undone'}`, async () => {
    const headers = { 'content-encoding': 'zstd' };
    if (zstdCompressSync === undefined) await faultOf(send(result(1), 200, headers), 'malformed');
    else assert.deepEqual(await send(zstdCompressSync(result(1)), 200, headers), RESULT);
  });

  test('truncated, missing, unknown and repeated encodings are malformed', async () => {
    const encoded = gzipSync(result(1));
    const headers = { 'content-encoding': 'gzip' };
    for (let length = 1; length < encoded.length; length++) {
      await faultOf(send(encoded.subarray(0, length), 200, headers), 'malformed');
    }
    await faultOf(send(result, 200, headers), 'malformed');
    await faultOf(send(result, 200, { 'content-encoding': 'zstd' }), 'malformed');
    await faultOf(send(result, 200, { 'content-encoding': 'gzip, br' }), 'malformed');
    await faultOf(send(encoded, 200, { 'content-encoding': ['gzip', 'gzip'] }), 'malformed');
  });

  test('a gzip bomb is rejected at the bound, streamed or not', async () => {
    const bomb = gzipSync(Buffer.concat([Buffer.from('{"id":1,"result":"'), Buffer.alloc(50_000_000, '0')]));
    const headers = { 'content-encoding': 'gzip' };
    await faultOf(send(bomb, 200, headers, { answerBytes: 1_000_000, streamBytes: 2_000_000 }), 'tooLarge');
    const spaces = gzipSync(Buffer.alloc(50_000_000, ' '));
    await faultOf(send(spaces, 200, headers, { streamBytes: 100_000 }), 'tooLarge');
  });

  test('receipts with empty blooms, with a compression ratio above 300, are decoded', async () => {
    const item = `"${'0'.repeat(3_000)}${'0123456789'.repeat(2)}",`;
    const text = Buffer.from(`{"id":1,"result":[${item.repeat(10_000)}0]}`);
    for (const [encoding, compress] of [
      ['gzip', gzipSync],
      ['br', brotliCompressSync],
    ] as const) {
      const body = compress(text);
      assert.ok(text.length > 300 * body.length, `${encoding}: ${text.length / body.length}`);
      const headers = { 'content-encoding': encoding };
      const reply = await send(body, 200, headers, { streamBytes: 40_000_000 });
      assert.equal((reply as { readonly result: string }).result.length, text.length - 18, encoding);
    }
  });
});

describe('batches', () => {
  const calls = ['a', 'b', 'c'].map((method) => ({ method, params: '[1]' }));

  async function sendBatch(answer: (ids: number[], response: ServerResponse) => string): Promise<unknown> {
    const [transport] = await reach(
      serveHttp((response, { body }) => {
        const requested = JSON.parse(body) as { id: number }[];
        response.end(
          answer(
            requested.map(({ id }) => id),
            response,
          ),
        );
      }),
    );
    return transport.sendBatch(calls, inTime());
  }
  const answers = (ids: readonly number[]): string[] => ids.map((id) => `{"id":${id},"result":[${id}]}`);
  const RESULTS = [1, 2, 3].map((id) => ({ kind: 'result', result: `[${id}]` }));

  test('replies are in the order of the calls', async () => {
    assert.deepEqual(await sendBatch((ids) => `[${answers(ids)}]`), RESULTS);
    assert.deepEqual(await sendBatch((ids) => ` [ ${answers(ids).reverse().join(' , ')} ] `), RESULTS);
    const mixed = await sendBatch((ids) => `[${answers(ids.slice(0, 2))},${failure(3)}]`);
    assert.deepEqual(mixed, [...RESULTS.slice(0, 2), FAILURE]);
  });

  test('an empty batch sends no request', async () => {
    const [transport, node] = await reach(serveRaw((socket) => socket.destroy()));
    assert.deepEqual(await transport.sendBatch([], inTime()), []);
    assert.equal(node.connections(), 0);
  });

  test('a single error is the reply to every call', async () => {
    const all = [FAILURE, FAILURE, FAILURE];
    assert.deepEqual(await sendBatch(() => failure('null')), all);
    assert.deepEqual(await sendBatch(() => failure(1)), all);
    assert.deepEqual(await sendBatch(() => `[${failure(1)}]`), all);
    const refused = sendBatch((_ids, response) => {
      response.statusCode = 413;
      return failure('null');
    });
    assert.deepEqual(await refused, all);
  });

  for (const [name, answer] of [
    ['a missing answer', (ids) => `[${answers(ids.slice(1))}]`],
    ['an answer twice', (ids) => `[${answers([ids[0] as number, ...ids.slice(0, 2)])}]`],
    ['one answer too many', (ids) => `[${answers([...ids, 9])}]`],
    ['the answer of another', (ids) => `[${answers([...ids.slice(1), 9])}]`],
    ['no answers', () => '[]'],
    ['a lone result', (ids) => answers(ids)[0] as string],
    ['a list that does not end', (ids) => `[${answers(ids)}`],
    ['a list with a gap', (ids) => `[${answers(ids).join(',,')}]`],
    ['something behind the list', (ids) => `[${answers(ids)}]]`],
    ['no answer in one place', (ids) => `[${answers(ids.slice(0, 2))},null]`],
  ] satisfies [string, (ids: number[]) => string][]) {
    test(`malformed: ${name}`, async () => {
      await faultOf(sendBatch(answer), 'malformed');
    });
  }
});
