import assert from 'node:assert/strict';
import { test } from 'node:test';
import { gunzipSync, gzipSync } from 'node:zlib';
import { GZIP } from '../../src/server/codings/gzip.ts';
import { Compression } from '../../src/server/compression.ts';
import { createFakeGateway, encodeHead, encodeRequest, exchange, HOST, startServer } from './support.ts';

const CLIENT = { destroyed: false };
const TEXT = 'x'.repeat(100_000);

test('compression jobs beyond the queue limit are refused, and other owners are served', async () => {
  const compression = new Compression(0.5);
  const jobs = Array.from({ length: 400 }, () => compression.compress(GZIP, TEXT, 'key:a', CLIENT));
  assert.ok(compression.jobs < 300, `${compression.jobs} jobs`);
  const other = await compression.compress(GZIP, TEXT, 'key:b', CLIENT);
  assert.equal(gunzipSync(other as Uint8Array).toString(), TEXT);
  const done = await Promise.all(jobs);
  assert.ok(done.includes(undefined));
  assert.equal(compression.jobs, 0);
});

test('an owner cannot compress all streams', () => {
  const compression = new Compression(0.5);
  let taken = 0;
  while (compression.takeStream(GZIP, 'key:a')) taken++;
  assert.ok(taken > 0 && compression.takeStream(GZIP, 'key:b'));
  compression.endStream(GZIP, 'key:a');
  compression.endStream(GZIP, 'key:b');
});

test('the OpenRPC document is sent compressed, and follows a change', async (t) => {
  const gateway = { ...createFakeGateway(), openRpc: JSON.stringify('a'.repeat(2_000)) };
  const { port } = await startServer(t, { gateway });
  const head = encodeHead('GET', '/openrpc.json', { Host: HOST, 'Accept-Encoding': 'gzip' });
  for (const openRpc of [gateway.openRpc, JSON.stringify('b'.repeat(3_000))]) {
    gateway.openRpc = openRpc;
    for (let i = 0; i < 2; i++) {
      const answer = await exchange(port, head);
      assert.equal(answer.headers['content-encoding'], 'gzip');
      assert.equal(gunzipSync(answer.body).toString(), openRpc);
    }
  }
});

test('unreadable bodies are charged, and readable ones are charged only once', async (t) => {
  let charged = 0;
  const { port } = await startServer(t, {
    limits: { bodyBytes: 10_000 },
    gateway: {
      ...createFakeGateway(),
      chargeUnread: () => (++charged > 3 ? { status: 429, body: '{}' } : undefined),
      returnUnread: () => void charged--,
    },
  });
  const zipped = { 'Content-Encoding': 'gzip' };
  const send = async (body: Uint8Array, fields: Record<string, string> = zipped): Promise<number> =>
    (await exchange(port, encodeRequest(body, fields))).status;
  assert.equal(await send(gzipSync('1')), 200);
  assert.equal(charged, 0);
  assert.equal(await send(Buffer.from('no gzip')), 400);
  assert.equal(await send(gzipSync(Buffer.alloc(20_000))), 413);
  assert.equal(await send(Buffer.alloc(20_000), {}), 413);
  assert.equal(charged, 3);
  assert.equal(await send(gzipSync('1')), 429);
});
