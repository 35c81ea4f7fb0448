import assert from 'node:assert/strict';
import { test } from 'node:test';
import { brotliDecompressSync, gunzipSync, gzipSync } from 'node:zlib';
import {
  encodeHead,
  encodeRequest,
  errorOf,
  exchange,
  HOST,
  KEY,
  letArrive,
  PATH,
  RawClient,
  startServer,
} from './support.ts';

const BODY = '{"jsonrpc":"2.0","id":1,"method":"x"}';

test('a POST is answered with the gateway’s answer and its length', async (t) => {
  const { port } = await startServer(t);
  const answer = await exchange(port, encodeRequest(BODY));
  assert.equal(answer.status, 200);
  assert.equal(answer.headers['content-type'], 'application/json');
  assert.equal(answer.headers['content-length'], String(BODY.length));
  assert.equal(answer.body.toString(), BODY);
  assert.equal(answer.headers['access-control-allow-origin'], undefined);
});

test('an absolute-form target determines network and key, and its query is ignored', async (t) => {
  const { port } = await startServer(t);
  const head = { Host: 'other', 'Content-Type': 'application/json', 'Content-Length': '2' };
  const absolute = await exchange(port, `${encodeHead('POST', `http://${HOST}${PATH}?x=1`, head)}{}`);
  assert.equal(absolute.status, 200);
});

test('an empty answer has an empty body', async (t) => {
  const { port } = await startServer(t, { handler: () => ({ status: 200, body: '' }) });
  const answer = await exchange(port, encodeRequest(BODY));
  assert.equal(answer.status, 200);
  assert.equal(answer.headers['content-length'], '0');
  assert.equal(answer.headers['content-type'], undefined);
});

test('text beyond ASCII has its length in bytes', async (t) => {
  const { port } = await startServer(t);
  const answer = await exchange(port, encodeRequest('["é€𝄞"]'));
  assert.equal(answer.body.toString('utf8'), '["é€𝄞"]');
});

type Row = { name: string; bytes: Buffer | string; status: number; code: number; headers?: RegExp };
const json = { Host: HOST, 'Content-Type': 'application/json', 'Content-Length': '2' };
const refusals: Row[] = [
  { name: 'unknown path', bytes: `${encodeHead('POST', '/', json)}{}`, status: 404, code: -32600 },
  {
    name: 'path below the key',
    bytes: `${encodeHead('POST', `${PATH}/x`, json)}{}`,
    status: 404,
    code: -32600,
  },
  { name: 'unknown host', bytes: encodeRequest('{}', { Host: 'nowhere' }), status: 404, code: -32600 },
  {
    name: 'no host',
    bytes: `${encodeHead('POST', PATH, { 'Content-Length': '2' })}{}`,
    status: 404,
    code: -32600,
  },
  {
    name: 'two hosts',
    bytes: `POST ${PATH} HTTP/1.1\r\nHost: ${HOST}\r\nHost: other\r\nContent-Length: 0\r\n\r\n`,
    status: 400,
    code: -32600,
  },
  {
    name: 'network of no name',
    bytes: `${encodeHead('POST', `/other${PATH}`, json)}{}`,
    status: 404,
    code: -32600,
  },
  {
    name: 'network, wrong key',
    bytes: `${encodeHead('POST', '/test/v3/bad', json)}{}`,
    status: 401,
    code: -32600,
  },
  { name: 'network, no key', bytes: `${encodeHead('POST', '/test/v3', json)}{}`, status: 401, code: -32600 },
  {
    name: 'network and more',
    bytes: `${encodeHead('POST', `/a/test${PATH}`, json)}{}`,
    status: 404,
    code: -32600,
  },
  { name: 'missing key', bytes: `${encodeHead('POST', '/v3/', json)}{}`, status: 401, code: -32600 },
  { name: 'no key segment', bytes: `${encodeHead('POST', '/v3', json)}{}`, status: 401, code: -32600 },
  { name: 'wrong key', bytes: `${encodeHead('POST', '/v3/bad', json)}{}`, status: 401, code: -32600 },
  { name: 'GET', bytes: encodeHead('GET', PATH, json), status: 405, code: -32600, headers: /POST, OPTIONS/ },
  { name: 'PUT', bytes: encodeHead('PUT', PATH, { Host: HOST }), status: 405, code: -32600 },
  {
    name: 'POST to the document',
    bytes: `${encodeHead('POST', '/openrpc.json', json)}{}`,
    status: 405,
    code: -32600,
    headers: /GET, HEAD/,
  },
  {
    name: 'WebSocket path without upgrade',
    bytes: encodeHead('GET', `/ws/v3/${KEY}`, { Host: HOST }),
    status: 426,
    code: -32600,
    headers: /websocket/,
  },
  {
    name: 'CONNECT',
    bytes: 'CONNECT example.org:443 HTTP/1.1\r\nHost: x\r\n\r\n',
    status: 405,
    code: -32600,
  },
  {
    name: 'no content type',
    bytes: `${encodeHead('POST', PATH, { Host: HOST, 'Content-Length': '2' })}{}`,
    status: 415,
    code: -32600,
  },
  {
    name: 'text/plain',
    bytes: encodeRequest('{}', { 'Content-Type': 'text/plain' }),
    status: 415,
    code: -32600,
  },
  {
    name: 'brotli request',
    bytes: encodeRequest('{}', { 'Content-Encoding': 'br' }),
    status: 415,
    code: -32600,
    headers: /gzip/,
  },
  { name: 'malformed request line', bytes: 'NONSENSE\r\n\r\n', status: 400, code: -32600 },
  {
    name: 'malformed length',
    bytes: encodeRequest('{}', { 'Content-Length': 'x' }),
    status: 400,
    code: -32600,
  },
  {
    name: 'huge header',
    bytes: encodeHead('POST', PATH, { Host: HOST, X: 'x'.repeat(20_000) }),
    status: 431,
    code: -32600,
  },
  {
    name: 'broken gzip',
    bytes: encodeRequest('not gzip', { 'Content-Encoding': 'gzip' }),
    status: 400,
    code: -32700,
  },
];

for (const row of refusals) {
  test(`a refusal has a JSON-RPC body: ${row.name}`, async (t) => {
    const { port } = await startServer(t);
    const answer = await exchange(port, row.bytes);
    assert.equal(answer.status, row.status);
    assert.equal(errorOf(answer).code, row.code);
    assert.equal(answer.headers['content-type'], 'application/json');
    if (row.headers !== undefined) assert.match(JSON.stringify(answer.headers), row.headers);
  });
}

test('a network in the path is served under any host, by either parser', async (t) => {
  const { port } = await startServer(t);
  const fields = { 'Content-Type': 'application/json', 'Content-Length': '2' };
  for (const head of [{ Host: 'nowhere' }, { Host: HOST }, { Host: '127.0.0.1' }]) {
    for (const path of [`/test${PATH}`, `/test${PATH}?not-plain`, `http://nowhere/test${PATH}`]) {
      const { status, body } = await exchange(port, `${encodeHead('POST', path, { ...head, ...fields })}{}`);
      assert.deepEqual([status, body.toString()], [200, '{}'], path);
    }
  }
  const twoHosts = `POST /test${PATH} HTTP/1.1\r\nHost: a\r\nHost: b\r\nContent-Length: 0\r\n\r\n`;
  assert.equal((await exchange(port, twoHosts)).status, 400);
});

test('the host is checked before the key, the key before the content type, the content type before the size', async (t) => {
  const { port } = await startServer(t, { limits: { bodyBytes: 1 } });
  const plain = { 'Content-Type': 'text/plain', 'Content-Length': '2' };
  const statusOf = async (path: string, headers: Record<string, string>): Promise<number> =>
    (await exchange(port, `${encodeHead('POST', path, headers)}{}`)).status;
  assert.equal(await statusOf('/v3/bad', { Host: 'nowhere', ...plain }), 404);
  assert.equal(await statusOf('/v3/bad', { Host: HOST, ...plain }), 401);
  assert.equal(await statusOf(PATH, { Host: HOST, ...plain }), 415);
  assert.equal(await statusOf(PATH, json), 413);
});

for (const type of [
  'application/json; charset=utf-8',
  'Application/JSON',
  'application/json-rpc',
  'application/jsonrequest',
]) {
  test(`the content type ${type} is accepted`, async (t) => {
    const { port } = await startServer(t);
    assert.equal((await exchange(port, encodeRequest('{}', { 'Content-Type': type }))).status, 200);
  });
}

test('the OpenRPC document is served to GET and HEAD', async (t) => {
  const { port } = await startServer(t);
  const got = await exchange(port, encodeHead('GET', '/openrpc.json', { Host: 'any' }));
  assert.equal(got.status, 200);
  assert.equal(got.body.toString(), '{"openrpc":"1.3.2"}');
  const client = new RawClient(port);
  const head = await client.send(encodeHead('HEAD', '/openrpc.json', { Host: 'any' })).read(true);
  assert.equal(head?.headers['content-length'], '19');
  client.close();
});

test('chunked bodies and bodies in many pieces are read', async (t) => {
  const { port } = await startServer(t);
  const client = new RawClient(port);
  client.send(encodeHead('POST', PATH, { ...json, 'Content-Length': String(BODY.length) }));
  for (const piece of BODY.match(/.{1,7}/g) ?? []) {
    client.send(piece);
    await new Promise((resolve) => setImmediate(resolve));
  }
  assert.equal((await client.read())?.body.toString(), BODY);
  const { 'Content-Length': _, ...chunked } = { ...json, 'Transfer-Encoding': 'chunked' };
  client.send(encodeHead('POST', PATH, chunked));
  client.send('3\r\n[1,\r\n');
  await new Promise((resolve) => setImmediate(resolve));
  client.send('2\r\n2]\r\n0\r\n\r\n');
  assert.equal((await client.read())?.body.toString(), '[1,2]');
  client.close();
});

test('a body above the limit is refused, whether announced or not, without closing the connection', async (t) => {
  const { port } = await startServer(t, { limits: { bodyBytes: 1000 } });
  const client = new RawClient(port);
  const announced = await client.send(encodeRequest('x'.repeat(1001))).read();
  assert.equal(announced?.status, 413);
  const { 'Content-Length': _, ...chunked } = { ...json, 'Transfer-Encoding': 'chunked' };
  const piece = `258\r\n${'x'.repeat(600)}\r\n`;
  const unannounced = await client
    .send(`${encodeHead('POST', PATH, chunked)}${piece}${piece}0\r\n\r\n`)
    .read();
  assert.equal(unannounced?.status, 413);
  client.send(encodeHead('POST', PATH, chunked)).send(piece);
  await letArrive();
  const late = await client.send(`${piece}0\r\n\r\n`).read();
  assert.equal(late?.status, 413);
  assert.equal((await client.send(encodeRequest('x'.repeat(1000))).read())?.status, 200);
  client.close();
});

test('a connection that floods a refused body is closed', async (t) => {
  const { port } = await startServer(t, { limits: { bodyBytes: 1000 } });
  const client = new RawClient(port);
  client.send(encodeHead('POST', PATH, { ...json, 'Content-Length': '100000000' }));
  assert.equal((await client.read())?.status, 413);
  client.send('x'.repeat(50_000));
  await client.readToEnd();
});

test('the memory of all arriving bodies is bounded together', async (t) => {
  const { port } = await startServer(t, { limits: { bodyBytes: 1000, arrivingBytes: 1500 } });
  const [first, second] = [new RawClient(port), new RawClient(port)];
  const head = encodeHead('POST', PATH, { ...json, 'Content-Length': '1000' });
  first.send(head);
  await letArrive();
  first.send('x'.repeat(900));
  await letArrive();
  second.send(head);
  await letArrive();
  second.send('x'.repeat(900));
  assert.equal((await second.read())?.status, 429);
  assert.equal((await first.send('x'.repeat(100)).read())?.status, 200);
  assert.equal((await exchange(port, encodeRequest('{}'))).status, 200);
  first.close();
  second.close();
});

test('gzip requests are decompressed', async (t) => {
  const { port } = await startServer(t);
  const answer = await exchange(port, encodeRequest(gzipSync(BODY), { 'Content-Encoding': 'gzip' }));
  assert.equal(answer.body.toString(), BODY);
});

test('a gzip bomb is refused as too large', async (t) => {
  const { port } = await startServer(t, { limits: { bodyBytes: 100_000 } });
  const bomb = gzipSync(Buffer.alloc(50_000_000));
  assert.ok(bomb.length < 100_000);
  const answer = await exchange(port, encodeRequest(bomb, { 'Content-Encoding': 'gzip' }));
  assert.equal(answer.status, 413);
});

test('answers of 1 KiB and more are compressed for clients that accept gzip or br', async (t) => {
  const { port } = await startServer(t);
  const large = JSON.stringify('y'.repeat(2000));
  const gzipped = await exchange(port, encodeRequest(large, { 'Accept-Encoding': 'deflate, GZIP;q=0.5' }));
  assert.equal(gzipped.headers['content-encoding'], 'gzip');
  assert.equal(gzipped.headers['vary'], 'Accept-Encoding');
  assert.equal(gunzipSync(gzipped.body).toString(), large);
  const any = await exchange(port, encodeRequest(large, { 'Accept-Encoding': '*' }));
  assert.equal(any.headers['content-encoding'], 'gzip');
  const brotli = await exchange(port, encodeRequest(large, { 'Accept-Encoding': 'gzip, deflate, br' }));
  assert.equal(brotli.headers['content-encoding'], 'br');
  assert.equal(brotliDecompressSync(brotli.body).toString(), large);
  for (const accept of ['identity', 'gzip;q=0, *', 'deflate']) {
    const plain = await exchange(port, encodeRequest(large, { 'Accept-Encoding': accept }));
    assert.equal(plain.headers['content-encoding'], undefined);
    assert.equal(plain.body.toString(), large);
  }
  const small = await exchange(port, encodeRequest('"small"', { 'Accept-Encoding': 'gzip' }));
  assert.equal(small.headers['content-encoding'], undefined);
});

test('a client with Expect: 100-continue gets 100 Continue unless it is refused', async (t) => {
  const { port } = await startServer(t);
  const client = new RawClient(port);
  const head = { ...json, 'Content-Length': String(BODY.length), Expect: '100-continue' };
  client.send(encodeHead('POST', PATH, head));
  assert.equal((await client.read())?.status, 100);
  assert.equal((await client.send(BODY).read())?.body.toString(), BODY);
  client.send(encodeHead('POST', '/v3/bad', head));
  assert.equal((await client.read())?.status, 401);
  await client.readToEnd();
});

test('a POST that offers h2c is answered over HTTP/1.1', async (t) => {
  const { port } = await startServer(t);
  const client = new RawClient(port);
  const upgrade = { Connection: 'Upgrade, HTTP2-Settings', Upgrade: 'h2c', 'HTTP2-Settings': 'AAMAAABkAAQ' };
  client.send(encodeRequest(BODY, upgrade));
  assert.equal((await client.read())?.body.toString(), BODY);
  client.send(encodeRequest('{}', upgrade));
  assert.equal((await client.read())?.body.toString(), '{}');
  client.close();
});
