/** A request hidden inside another one is never served: when the end of a request is ambiguous, the connection is closed. */
import assert from 'node:assert/strict';
import { connect } from 'node:net';
import { type TestContext, test } from 'node:test';
import { startServer } from '../server/support.ts';

const BODY = '{"id":"outer"}';
const INNER =
  'POST /v3/good-key HTTP/1.1\r\nHost: test.localhost\r\nContent-Type: application/json\r\nContent-Length: 10\r\n\r\n{"id":"x"}';
const CHUNKED = `${BODY.length.toString(16)}\r\n${BODY}\r\n0\r\n\r\n`;

/** Message heads whose body length different parsers read differently. `%` is the length of the bytes after the head. */
const AMBIGUOUS: Readonly<Record<string, readonly [head: readonly string[], rest: string]>> = {
  'length and chunks': [['Content-Length: %', 'Transfer-Encoding: chunked'], `0\r\n\r\n${INNER}`],
  'chunks and length': [['Transfer-Encoding: chunked', 'Content-Length: 4'], `${CHUNKED}${INNER}`],
  'two lengths': [[`Content-Length: ${BODY.length}`, 'Content-Length: %'], `${BODY}${INNER}`],
  'two lengths, the long one first': [
    ['Content-Length: %', `Content-Length: ${BODY.length}`],
    `${BODY}${INNER}`,
  ],
  'a list of lengths': [[`Content-Length: ${BODY.length}, %`], `${BODY}${INNER}`],
  'a signed length': [[`Content-Length: +${BODY.length}`], `${BODY}${INNER}`],
  'a negative length': [['Content-Length: -1'], `${BODY}${INNER}`],
  'a length in hex': [[`Content-Length: 0x${BODY.length.toString(16)}`], `${BODY}${INNER}`],
  'a length with a blank inside': [['Content-Length: 1 4'], `${BODY}${INNER}`],
  'a length beyond any number': [[`Content-Length: ${'9'.repeat(40)}`], `${BODY}${INNER}`],
  'a blank before the colon': [['Content-Length : %'], `${BODY}${INNER}`],
  'a folded length': [['Content-Length:', ' %'], `${BODY}${INNER}`],
  'a folded coding': [['Transfer-Encoding:', ' chunked', 'Content-Length: %'], `0\r\n\r\n${INNER}`],
  'a coding with a vertical tab': [
    ['Transfer-Encoding: \vchunked', 'Content-Length: %'],
    `0\r\n\r\n${INNER}`,
  ],
  'a coding that is none': [['Transfer-Encoding: xchunked', 'Content-Length: %'], `0\r\n\r\n${INNER}`],
  'chunks that are not last': [
    ['Transfer-Encoding: chunked, identity', 'Content-Length: %'],
    `0\r\n\r\n${INNER}`,
  ],
  'a bare line feed before the length': [
    [`X: a\nContent-Length: %`, `Content-Length: ${BODY.length}`],
    `${BODY}${INNER}`,
  ],
  'a bare carriage return': [[`X: a\rContent-Length: 0`, 'Content-Length : %'], `${BODY}${INNER}`],
  'a zero byte in a name': [['Content-\0Length: %'], `${BODY}${INNER}`],
  'a chunk size with a sign': [['Transfer-Encoding: chunked'], `+${CHUNKED}${INNER}`],
  'a chunk size in another notation': [['Transfer-Encoding: chunked'], `0x${CHUNKED}${INNER}`],
  'a chunk that is longer than it says': [
    ['Transfer-Encoding: chunked'],
    `1\r\n${BODY}\r\n0\r\n\r\n${INNER}`,
  ],
  'chunks ended by a bare line feed': [['Transfer-Encoding: chunked'], `0\n\n${INNER}`],
};

/** Sends bytes, and returns everything received until the connection ends. */
function sendAll(port: number, bytes: string): Promise<string> {
  return new Promise((resolve) => {
    const socket = connect({ host: '127.0.0.1', port });
    let text = '';
    socket.setEncoding('latin1');
    socket.on('data', (piece: string) => {
      text += piece;
    });
    socket.on('error', () => {});
    socket.on('close', () => resolve(text));
    socket.write(bytes, 'latin1');
  });
}

async function send(
  t: TestContext,
  requests: (port: number) => Promise<string>,
): Promise<[string, string[]]> {
  const served: string[] = [];
  const { port } = await startServer(t, {
    handler: (text) => {
      served.push(text);
      return { status: 200, body: '{}' };
    },
    limits: { bodyTimeout: 300, headersTimeout: 300, keepAliveTimeout: 300 },
  });
  return [await requests(port), served];
}

function encode(head: readonly string[], rest: string): string {
  const fields = ['Host: test.localhost', 'Content-Type: application/json', ...head];
  const lines = fields.map((line) => `${line.replace('%', String(rest.length))}\r\n`);
  return `POST /v3/good-key HTTP/1.1\r\n${lines.join('')}\r\n${rest}`;
}

for (const [name, [head, rest]] of Object.entries(AMBIGUOUS)) {
  test(`no request is smuggled in by ${name}`, async (t) => {
    const [first, alone] = await send(t, (port) => sendAll(port, encode(head, rest)));
    assert.ok(!alone.includes('{"id":"x"}'), first);
    assert.equal(first.match(/HTTP\/1\.1 \d+/g)?.length ?? 0, first === '' ? 0 : 1, first);
    assert.doesNotMatch(first, /^HTTP\/1\.1 200/);
    // The ambiguous request follows a fast-path request, which another reader has taken.
    const plain = encode([`Content-Length: ${BODY.length}`], BODY);
    const [, behind] = await send(t, (port) => sendAll(port, plain + encode(head, rest)));
    assert.deepEqual(behind, [BODY]);
  });
}

test('a request with two Host headers is refused', async (t) => {
  const length = `Content-Length: ${BODY.length}`;
  for (const hosts of [
    ['Host: other.localhost', length],
    ['host: other.localhost', length],
    ['HOST: test.localhost', length],
  ]) {
    const [text, served] = await send(t, (port) =>
      sendAll(port, encode([...hosts, 'Connection: close'], BODY)),
    );
    assert.match(text, /^HTTP\/1\.1 400/);
    assert.deepEqual(served, []);
  }
});
