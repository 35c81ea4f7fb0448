import assert from 'node:assert/strict';
import { test } from 'node:test';
import { MAX_HEADER_FIELDS } from '../../src/server/request-head.ts';
import { encodeRequest, HOST, KEY, PATH, RawClient, startServer } from './support.ts';

const BODY = '"smuggled"';

/** Encodes `count` short fields. */
const fields = (count: number): string => Array.from({ length: count }, (_, i) => `a${i}:\r\n`).join('');

type Kind = readonly [name: string, first: string];

const POST = `POST ${PATH} HTTP/1.1\r\nHost: ${HOST}\r\nContent-Type: application/json\r\n`;
const KINDS: readonly Kind[] = [
  ['a request', POST],
  ['a request that node reads', `${POST}Content-Encoding: identity\r\n`],
  ['an ignored upgrade', `${POST}Connection: Upgrade\r\nUpgrade: h2c\r\n`],
  [
    'an upgrade',
    `GET /ws/v3/${KEY} HTTP/1.1\r\nHost: ${HOST}\r\nConnection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n`,
  ],
  ['CONNECT', `CONNECT a:1 HTTP/1.1\r\nHost: a:1\r\n`],
  ['one that waits for 100 Continue', `${POST}Expect: 100-continue\r\n`],
  ['one with another expectation', `${POST}Expect: more\r\n`],
  ['a health probe', `GET /health/live HTTP/1.1\r\nHost: ${HOST}\r\n`],
];

for (const [name, first] of KINDS) {
  for (const count of [MAX_HEADER_FIELDS, 1_000, 1_990, 2_010, 2_900]) {
    test(`${name} with ${count} further fields is refused, and its body is not read as a request`, async (t) => {
      const bodies: string[] = [];
      const { port } = await startServer(t, {
        handler: (text) => {
          bodies.push(text);
          return { status: 200, body: text };
        },
      });
      const inner = encodeRequest(BODY).toString('latin1');
      const client = new RawClient(port);
      client.send(`${first}${fields(count)}Content-Length: ${inner.length}\r\n\r\n${inner}`);
      assert.equal((await client.read())?.status, 431);
      client.socket.end();
      await client.readToEnd();
      assert.deepEqual(bodies, []);
    });
  }
}

test('a second Host behind any number of fields is detected', async (t) => {
  const { port } = await startServer(t);
  for (const count of [0, 10, MAX_HEADER_FIELDS - 10, 1_995, 1_998, 2_000, 2_100]) {
    for (const extra of ['', 'Connection: Upgrade\r\nUpgrade: h2c\r\n']) {
      const client = new RawClient(port);
      client.send(`${POST}${extra}${fields(count)}Content-Length: 1\r\nHost: other\r\n\r\n1`);
      const status = (await client.read())?.status;
      assert.equal(status, count > 1_000 ? 431 : 400, `${count} fields`);
      client.close();
    }
  }
});

test('requests with the maximum number of fields are served, on each path through the server', async (t) => {
  const { port } = await startServer(t);
  for (const extra of ['', 'Content-Encoding: identity\r\n', 'Connection: Upgrade\r\nUpgrade: h2c\r\n']) {
    const written = (POST + extra).split('\r\n').length - 2;
    const client = new RawClient(port);
    client.send(`${POST}${extra}${fields(MAX_HEADER_FIELDS - written - 1)}Content-Length: 1\r\n\r\n1`);
    assert.equal((await client.read())?.status, 200);
    client.close();
  }
});

/** Heads whose end two readers could find in different places, each with a request in the possible body. */
const AMBIGUOUS: readonly (readonly [name: string, fields: string])[] = [
  ['two lengths', 'Content-Length: 3\r\nContent-Length: 999\r\n'],
  ['the same length twice', 'Content-Length: 3\r\nContent-Length: 3\r\n'],
  ['a list of lengths', 'Content-Length: 3, 3\r\n'],
  ['a length with a sign', 'Content-Length: +3\r\n'],
  ['a length in hex', 'Content-Length: 0x3\r\n'],
  ['a length and chunks', 'Content-Length: 3\r\nTransfer-Encoding: chunked\r\n'],
  ['chunks and a length', 'Transfer-Encoding: chunked\r\nContent-Length: 3\r\n'],
  ['a coding that is none', 'Transfer-Encoding: chunked, identity\r\n'],
  ['a space before the colon', 'Content-Length : 3\r\n'],
  ['a carriage return in a value', 'X: a\rContent-Length: 3\r\n'],
];

for (const [name, lines] of AMBIGUOUS) {
  for (const offer of ['', 'Connection: Upgrade\r\nUpgrade: h2c\r\n']) {
    test(`a head with ${name}${offer === '' ? '' : ' beside an offer of h2c'} is refused, and nothing behind it is executed`, async (t) => {
      const bodies: string[] = [];
      const { port } = await startServer(t, {
        handler: (text) => {
          bodies.push(text);
          return { status: 200, body: text };
        },
      });
      const client = new RawClient(port);
      client.send(`${POST}${offer}${lines}\r\n1\r\n${encodeRequest(BODY).toString('latin1')}`);
      assert.equal((await client.read())?.status, 400);
      assert.equal(await client.readToEnd(), '');
      assert.deepEqual(bodies, []);
    });
  }
}

test('bytes beyond ASCII, chunks and trailers survive an ignored upgrade', async (t) => {
  const { port } = await startServer(t);
  const offer = 'Connection: Upgrade, HTTP2-Settings\r\nUpgrade: h2c\r\nHTTP2-Settings: AA\r\n';
  const client = new RawClient(port);
  const head = `${POST}${offer}X-Latin: \xe9\xff\r\nTransfer-Encoding: chunked\r\nTrailer: X-End\r\n\r\n`;
  client.send(Buffer.from(`${head}3\r\n"1"\r\n0\r\nX-End: 1\r\n\r\n`, 'latin1'));
  client.send(encodeRequest('"2"'));
  assert.equal((await client.read())?.body.toString(), '"1"');
  assert.equal((await client.read())?.body.toString(), '"2"');
  client.close();
});
