import assert from 'node:assert/strict';
import type { Socket } from 'node:net';
import { Duplex } from 'node:stream';
import { afterEach, test } from 'node:test';
import { setImmediate as turn } from 'node:timers/promises';
import { boundFraming, PARSED } from '../../../src/pool/transport/bound-framing.ts';

const open: Duplex[] = [];

afterEach(() => {
  for (const stream of open.splice(0)) stream.destroy();
});

/** A connection that has received these pieces. */
function receive(...pieces: readonly string[]): Socket {
  const stream = new Duplex({ read() {}, write() {}, highWaterMark: 1 << 20 });
  stream.on('error', () => {});
  open.push(stream);
  for (const piece of pieces) stream.push(piece);
  const socket = stream as unknown as Socket;
  boundFraming(socket);
  return socket;
}

/**
 * Reads all received data, as the HTTP client does.
 * @param countBody number of body bytes in a piece, and whether a response ends in it
 */
async function readAll(
  socket: Socket,
  countBody: (piece: string) => { readonly bytes: number; readonly isEnd?: boolean },
): Promise<readonly string[]> {
  const pieces: string[] = [];
  const readMore = (): void => {
    for (let chunk = socket.read() as Buffer | null; chunk !== null; chunk = socket.read()) {
      const piece = chunk.toString('latin1');
      pieces.push(piece);
      const { bytes, isEnd = false } = countBody(piece);
      PARSED.bodyBytes += bytes;
      if (piece.includes(HEAD)) {
        PARSED.heads++;
        PARSED.isSized = false;
      }
      if (isEnd) PARSED.answers++;
    }
  };
  socket.on('readable', readMore);
  for (let slots = 0; slots < 100; slots++) await turn();
  return pieces;
}

const HEAD = 'HTTP/1.1 200 OK\r\n\r\n';
const FIELDS = 'a:\r\n'.repeat(16_384);
const longest = (pieces: readonly string[]): number => Math.max(...pieces.map(({ length }) => length));

test('a head is passed on in short pieces, and one that is too long ends the connection', async () => {
  const socket = receive(`HTTP/1.1 200 OK\r\n${FIELDS}`);
  const pieces = await readAll(socket, () => ({ bytes: 0 }));
  assert.equal(longest(pieces), 2_048);
  assert.ok(pieces.join('').length <= 16_384 + 2_048);
  assert.match(String(socket.errored), /bytes around the body/);
});

test('a body is passed on unsplit behind its head', async () => {
  const body = 'x'.repeat(65_536);
  const socket = receive(HEAD + body, body, body);
  const pieces = await readAll(socket, (piece) => ({ bytes: piece.replace(HEAD, '').length }));
  assert.deepEqual(
    pieces.map(({ length }) => length),
    [HEAD.length, 3 * body.length],
  );
  assert.equal(pieces.join(''), HEAD + body + body + body);
});

test('a head of several pieces is followed by its unsplit body', async () => {
  const fields = FIELDS.slice(0, 6_000);
  const head = HEAD.replace('\r\n\r\n', `\r\n${fields}\r\n`);
  const body = 'x'.repeat(65_536);
  const socket = receive(head + body);
  let left = head.length;
  const pieces = await readAll(socket, ({ length }) => {
    const bytes = Math.max(length - left, 0);
    left -= length - bytes;
    if (left === 0) PARSED.heads++;
    return { bytes };
  });
  assert.equal(longest(pieces.slice(0, -1)), 2_048);
  assert.equal(pieces.at(-1), body);
});

test('a trailer is passed on in short pieces, wherever the last chunk is', async () => {
  const body = `${'x'.repeat(65_536)}\r\n`;
  for (const [first, last] of [
    [`${body}0;x\r\n${FIELDS}`, ''],
    [body, `00\r\n${FIELDS}`],
    [`${body}0\r\n`, FIELDS],
  ] as const) {
    const socket = receive(HEAD + body);
    if (first !== body) socket.push(first);
    let isBody = true;
    const counted = readAll(socket, (piece) => {
      const bytes = isBody ? piece.replace(HEAD, '').length : 0;
      if (piece.includes('\n0') || piece.startsWith('0')) isBody = false;
      return { bytes };
    });
    await turn();
    socket.push(last);
    const pieces = await counted;
    const trailer = pieces.slice(pieces.findIndex((piece) => /(?:^|\n)0/.test(piece)) + 1);
    assert.ok(trailer.length > 1);
    assert.equal(longest(trailer), 2_048);
    assert.match(String(socket.errored), /bytes around the body/);
  }
});

test('a trailer without a body is passed on in short pieces', async () => {
  const pieces = await readAll(receive(`${HEAD}0\r\n${FIELDS}`), () => ({ bytes: 0 }));
  assert.equal(longest(pieces), 2_048);
  assert.ok(pieces.join('').length <= HEAD.length + 16_384 + 2 * 2_048);
});

test('body lines that look like a last chunk lose no byte', async () => {
  const body = '0.25,\r\n'.repeat(20_000);
  const socket = receive(HEAD + body, body);
  const pieces = await readAll(socket, (piece) => ({ bytes: piece.replace(HEAD, '').length }));
  assert.equal(pieces.join(''), HEAD + body + body);
  assert.equal(socket.errored, null);
});
