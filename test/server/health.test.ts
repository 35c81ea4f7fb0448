import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type NetworkReadiness, ServiceHealth } from '../../src/server/health.ts';
import { waitUntil } from '../support/wait-until.ts';
import { encodeHead, encodeRequest, exchange, RawClient, startServer } from './support.ts';

const LIVE = encodeHead('GET', '/health/live', {});
const READY = encodeHead('GET', '/health/ready', {});

test('health is reported without host and key, with no-store, and to HEAD without a body', async (t) => {
  const { port } = await startServer(t);
  for (const [path, status] of [
    ['/health/live', 'live'],
    ['/health/ready?from=probe', 'ready'],
  ]) {
    const answer = await exchange(port, encodeHead('GET', path as string, {}));
    assert.equal(answer.status, 200);
    assert.deepEqual(JSON.parse(answer.body.toString()), { status });
    assert.equal(answer.headers['cache-control'], 'no-store');
    const client = new RawClient(port).send(encodeHead('HEAD', path as string, {}));
    const head = await client.read(true);
    assert.equal(head?.status, 200);
    assert.equal(head?.headers['content-length'], String(answer.body.length));
    // No byte of a body precedes the next response.
    assert.equal((await client.send(LIVE).read())?.body.toString(), '{"status":"live"}');
    client.close();
  }
});

test('other methods are refused with the allowed ones, and subpaths do not exist', async (t) => {
  const { port } = await startServer(t);
  const refused = await exchange(port, encodeHead('POST', '/health/ready', { 'Content-Length': '0' }));
  assert.equal(refused.status, 405);
  assert.equal(refused.headers['allow'], 'GET, HEAD');
  assert.equal((await exchange(port, encodeHead('GET', '/health/', {}))).status, 404);
});

const MIXED: NetworkReadiness = {
  answerable: ['a'],
  unanswerable: { b: 'the only node does not answer', c: 'it has no block' },
};

for (const [policy, networks, status] of [
  ['any', { answerable: [], unanswerable: { b: 'no' } }, 503],
  ['any', MIXED, 200],
  ['all', MIXED, 503],
  ['all', { answerable: ['a'], unanswerable: {} }, 200],
] as const) {
  const { answerable, unanswerable } = networks;
  const names = Object.keys(unanswerable);
  test(`with ready: ${policy}, ${answerable.length} answerable and ${names.length} unanswerable networks: status is ${status}`, async (t) => {
    const health = new ServiceHealth({ ready: policy }, () => networks);
    const { port } = await startServer(t, { health });
    const answer = await exchange(port, READY);
    assert.equal(answer.status, status);
    const down = names.length > 0 && { down: unanswerable };
    const body = status === 200 ? { status: 'ready' } : { status: 'unready', networks: names };
    assert.deepEqual(JSON.parse(answer.body.toString()), { ...body, ...down });
    assert.equal((await exchange(port, LIVE)).status, 200);
  });
}

test('a closing server is unready at once, and serves one more request per connection during the drain delay', async (t) => {
  const { server, port } = await startServer(t, { limits: { drainDelay: 1_500 } });
  const cached = new RawClient(port);
  await cached.send(encodeRequest('1')).read();
  void server.close();
  const answer = await exchange(port, READY);
  assert.deepEqual([answer.status, answer.body.toString()], [503, '{"status":"draining"}']);
  assert.equal((await exchange(port, LIVE)).status, 200);
  for (const client of [cached, new RawClient(port)]) {
    const served = await client.send(encodeRequest('2')).read();
    assert.equal(served?.body.toString(), '2');
    assert.equal(served?.headers['connection'], 'close');
    assert.equal(await client.readToEnd(), '');
  }
});

test('a request in transit at the end of the drain delay is answered', async (t) => {
  const { server, port } = await startServer(t, { limits: { drainDelay: 500, drainTimeout: 10_000 } });
  const [used, unused] = [new RawClient(port), new RawClient(port)];
  await used.send(encodeRequest('1')).read();
  const closed = server.close();
  for (let isOpen = true; isOpen; ) {
    const late = new RawClient(port);
    isOpen = await new Promise((resolve) => {
      late.socket.once('connect', () => resolve(true));
      late.socket.once('error', () => resolve(false));
    });
    late.close();
  }
  for (const client of [used, unused]) {
    assert.equal((await client.send(encodeRequest('"late"')).read())?.body.toString(), '"late"');
  }
  await closed;
});

test('the server drains after the drain delay', async (t) => {
  const { server, port } = await startServer(t, { limits: { drainDelay: 1 } });
  const idle = new RawClient(port);
  await idle.send(encodeRequest('1')).read();
  await server.close();
  assert.equal(await idle.readToEnd(), '');
  await waitUntil(() => idle.socket.destroyed);
});
