import assert from 'node:assert/strict';
import { createServer } from 'node:http';
import { Duplex } from 'node:stream';
import { test } from 'node:test';
import fc from 'fast-check';
import { type FastPathHead, FastPathHeadReader } from '../../src/server/fast-path-request.ts';
import { readRequestHead } from '../../src/server/request-head.ts';
import { countRuns } from '../support/count-runs.ts';

const BODY = '{"id":1}';
const LINES = [
  'POST /v3/some-key_1 HTTP/1.1',
  'Host: net.example',
  'Content-Type: application/json',
  `Content-Length: ${BODY.length}`,
];

function encode(lines: readonly string[]): Buffer {
  return Buffer.from(`${lines.join('\r\n')}\r\n\r\n${BODY}`, 'latin1');
}

const read = (bytes: Buffer): FastPathHead | undefined => new FastPathHeadReader().read(bytes);

test('reads the head of a plain request', () => {
  const bytes = encode([
    ...LINES,
    'accept-encoding:gzip\t',
    'ORIGIN:  https://a.example ',
    'Connection: Keep-Alive',
  ]);
  assert.deepEqual(read(bytes), {
    target: '/v3/some-key_1',
    route: { to: 'http', network: undefined, key: 'some-key_1' },
    fields: {
      host: 'net.example',
      contentType: 'application/json',
      contentLength: '8',
      contentEncoding: undefined,
      acceptEncoding: 'gzip',
      origin: 'https://a.example',
      userAgent: undefined,
      authorization: undefined,
      forwardedFor: undefined,
      traceParent: undefined,
      session: undefined,
      hasTwoHosts: false,
    },
    headLength: bytes.length - BODY.length,
    bodyLength: BODY.length,
  });
});

test('a path without a key is on the fast path', () => {
  const head = read(encode(['POST /v3/ HTTP/1.1', ...LINES.slice(1)]));
  assert.deepEqual(head?.route, { to: 'http', network: undefined, key: undefined });
});

test('a path that begins with a network is on the fast path', () => {
  const head = read(encode(['POST /some-net_1/v3/k HTTP/1.1', ...LINES.slice(1)]));
  assert.equal(head?.target, '/some-net_1/v3/k');
  assert.deepEqual(head.route, { to: 'http', network: 'some-net_1', key: 'k' });
});

const replaced = (line: number, text: string): string[] => LINES.map((old, i) => (i === line ? text : old));

const UNUSUAL: Record<string, readonly string[]> = {
  'another verb': replaced(0, 'GET /v3/k HTTP/1.1'),
  'another version': replaced(0, 'POST /v3/k HTTP/1.0'),
  'another path': replaced(0, 'POST /v4/k HTTP/1.1'),
  'the path of WebSockets': replaced(0, 'POST /ws/v3/k HTTP/1.1'),
  'a network and the path of WebSockets': replaced(0, 'POST /net/ws/v3/k HTTP/1.1'),
  'the word of the path as a network': replaced(0, 'POST /v3/v3/k HTTP/1.1'),
  'a network of another alphabet': replaced(0, 'POST /n%65t/v3/k HTTP/1.1'),
  'a network with a dot': replaced(0, 'POST /net.example/v3/k HTTP/1.1'),
  'a long network': replaced(0, `POST /${'n'.repeat(65)}/v3/k HTTP/1.1`),
  'a query': replaced(0, 'POST /v3/k?a HTTP/1.1'),
  'two blanks': replaced(0, 'POST  /v3/k HTTP/1.1'),
  'no length': LINES.slice(0, 3),
  'a length with a sign': replaced(3, 'Content-Length: +8'),
  'a list of lengths': replaced(3, 'Content-Length: 8, 8'),
  'two lengths': [...LINES, 'Content-Length: 8'],
  'two hosts': [...LINES, 'Host: other.example'],
  'a transfer coding': [...LINES, 'Transfer-Encoding: chunked'],
  'a content coding': [...LINES, 'Content-Encoding: gzip'],
  'an expectation': [...LINES, 'Expect: 100-continue'],
  'an upgrade': [...LINES, 'Upgrade: h2c'],
  'another connection option': [...LINES, 'Connection: keep-alive, Upgrade'],
  'a last request': [...LINES, 'Connection: close'],
  'a folded field': [...LINES, 'X: a', ' b'],
  'a blank before the colon': [...LINES, 'X : a'],
  'no name': [...LINES, ': a'],
  'no colon': [...LINES, 'X'],
  'a control character': [...LINES, 'X: a\x01'],
  'a byte beyond ASCII': [...LINES, 'X: \xe9'],
  'a bare line feed': [...LINES, 'X: a\nY: b'],
  'a large head': [...LINES, `X: ${'x'.repeat(4_096)}`],
};

for (const [name, lines] of Object.entries(UNUSUAL)) {
  test(`leaves to node: ${name}`, () => {
    assert.equal(read(encode(lines)), undefined);
  });
}

test('an incomplete head is left to node', () => {
  const bytes = encode(LINES);
  for (let length = 0; length < bytes.length - BODY.length; length++) {
    assert.equal(read(bytes.subarray(0, length)), undefined);
  }
});

test('a repeated head is returned from the cache, a different one is parsed', () => {
  const reader = new FastPathHeadReader();
  const first = reader.read(encode(LINES));
  assert.equal(reader.read(encode(LINES)), first);
  const other = reader.read(encode(replaced(0, 'POST /v3/other HTTP/1.1')));
  assert.equal(other?.route.key, 'other');
  assert.equal(reader.read(encode(replaced(3, 'Content-Length: 7')))?.bodyLength, 7);
});

type Seen = { readonly target: string; readonly rawHeaders: readonly string[]; readonly body: string };

/** Requests as node's server reads them on a connection with these bytes. */
function sendToNode(bytes: Buffer): Promise<readonly Seen[]> {
  return new Promise((resolve) => {
    const seen: Seen[] = [];
    const finish = (): void => {
      resolve(seen);
      socket.destroy();
    };
    const server = createServer({ requireHostHeader: false }, (request, response) => {
      let body = '';
      request.on('data', (chunk: Buffer) => {
        body += chunk.toString('latin1');
      });
      request.on('end', () => {
        const { method, url = '', rawHeaders } = request;
        if (method === 'POST') seen.push({ target: url, rawHeaders, body });
        response.end();
      });
    });
    for (const event of ['clientError', 'upgrade', 'checkExpectation', 'checkContinue'] as const) {
      server.on(event, finish);
    }
    const socket = new Duplex({
      read() {},
      write: (_chunk, _encoding, done) => done(),
    });
    server.emit('connection', socket);
    socket.push(bytes);
    setImmediate(() => setImmediate(finish));
  });
}

const USUAL_LINES = ['X: 1', 'Accept: */*', 'accept-encoding: gzip', 'Origin: null', 'a:b'] as const;
const fieldLine = fc.oneof(
  {
    weight: 3,
    arbitrary: fc.constantFrom(...USUAL_LINES),
  },
  fc.constantFrom(
    ...Object.values(UNUSUAL)
      .flatMap((lines) => lines.slice(1))
      .filter((line) => line.length < 99),
  ),
);
/** Fast-path requests with added lines, a changed byte or a cut. */
const nearlyPlain = fc
  .record({
    isByPath: fc.boolean(),
    lines: fc.array(fieldLine, { maxLength: 3 }),
    flip: fc.option(fc.record({ at: fc.nat(), to: fc.integer({ min: 0, max: 255 }) }), { freq: 2 }),
    cut: fc.option(fc.record({ at: fc.nat(), length: fc.integer({ min: 1, max: 3 }) }), { freq: 3 }),
  })
  .map(({ isByPath, lines, flip, cut }) => {
    const [byHost = '', ...others] = LINES;
    const requestLine = isByPath ? byHost.replace('/v3/', '/some-net/v3/') : byHost;
    const whole = encode([requestLine, ...lines, ...others]);
    if (flip !== null) whole[flip.at % whole.length] = flip.to;
    if (cut === null) return whole;
    const at = cut.at % whole.length;
    return Buffer.concat([whole.subarray(0, at), whole.subarray(at + cut.length)]);
  });

const RUNS: number = countRuns(3_000);

/** @returns whether the bytes are read as one fast-path request; asserts that node then reads them the same way */
async function compareWithNode(bytes: Buffer): Promise<boolean> {
  const head = read(bytes);
  if (head === undefined || head.headLength + head.bodyLength !== bytes.length) return false;
  const [first] = await sendToNode(bytes);
  assert.ok(first !== undefined, 'node refuses it');
  assert.equal(first.target, head.target);
  assert.deepEqual(readRequestHead(first.rawHeaders), head.fields);
  assert.equal(first.body, bytes.toString('latin1', head.headLength, head.headLength + head.bodyLength));
  return true;
}

test('usual fields leave a request on the fast path, and node reads it the same way', async () => {
  for (const line of USUAL_LINES) assert.ok(await compareWithNode(encode([...LINES, line])), line);
});

test('node reads every fast-path request the same way', async () => {
  await fc.assert(
    fc.asyncProperty(nearlyPlain, async (bytes) => {
      await compareWithNode(bytes);
    }),
    { numRuns: RUNS },
  );
});
