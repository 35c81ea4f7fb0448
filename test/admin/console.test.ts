/** The console sends its requests only to the service, and gets the same answers as a client. */
import assert from 'node:assert/strict';
import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { after, before, describe, test } from 'node:test';
import type { ConsoleAnswer } from '../../src/admin/page/console/wire.ts';
import { serveByDefault } from '../support/development.ts';
import type { RunningService } from '../support/service.ts';
import { createStatus } from './status-fixture.ts';
import { ask, createService, type Got, type RunningAdmin, startAdmin } from './support.ts';

const CHAIN_ID = { jsonrpc: '2.0', id: 1, method: 'eth_chainId', params: [] };

function post(port: number, body: unknown): Promise<Got> {
  const text = typeof body === 'string' ? body : JSON.stringify(body);
  return ask(port, {
    method: 'POST',
    path: '/console',
    headers: { 'Content-Type': 'application/json' },
    body: text,
  });
}

describe('the console over a real service', () => {
  let service: RunningService;
  let admin: RunningAdmin;
  before(async () => {
    service = await serveByDefault('devnet');
    admin = await startAdmin({ sources: { service: createService('0.0.0.0', service.port) } });
  });
  after(async () => {
    await admin.server.close();
    await service.close();
  });

  async function send(network: string, request: object, key = 'demo'): Promise<ConsoleAnswer> {
    const { status, body } = await post(admin.port, { network, key, request });
    assert.equal(status, 200, body);
    return JSON.parse(body) as ConsoleAnswer;
  }

  test('reaches each network by name', async () => {
    const devnet = await send('devnet', CHAIN_ID);
    assert.equal(devnet.status, 200);
    assert.equal(JSON.parse(devnet.body).result, '0x1ca9');
    assert.match(devnet.headers['content-type'] ?? '', /^application\/json/);
    assert.ok(devnet.milliseconds >= 0);
    assert.equal(JSON.parse((await send('rollup', CHAIN_ID)).body).result, '0xe7c9');
  });

  test('returns errors and refusals as clients get them', async () => {
    const unknown = await send('devnet', CHAIN_ID, 'unknown');
    assert.equal(unknown.status, 401);
    assert.match(unknown.body, /invalid project id/);
    const missing = await send('devnet', { ...CHAIN_ID, method: 'eth_nothing' });
    assert.equal(missing.status, 200);
    assert.equal(JSON.parse(missing.body).error.code, -32601);
    const malformed = await send('devnet', { hello: 1 });
    assert.equal(JSON.parse(malformed.body).error.code, -32600);
  });

  test('logs nothing of a request', async () => {
    await send('devnet', { ...CHAIN_ID, params: ['a-secret'] }, 'secret-key');
    assert.deepEqual(admin.lines, []);
  });
});

/** Header that marks requests as proxied, so that privileges of local clients do not extend to users of the console. */
const VIA = '1.1 portcullis-console';

describe('the console over a service that records requests', () => {
  const seen: {
    readonly via: string | undefined;
    readonly url: string;
    readonly host: string | undefined;
    readonly authorization?: string;
  }[] = [];
  const target = createServer((request: IncomingMessage, response) => {
    const { host, authorization, via } = request.headers;
    seen.push({ via, url: request.url ?? '', host, ...(authorization !== undefined && { authorization }) });
    request.resume();
    if (request.url === '/a/v3/hang') return;
    if (request.url === '/a/v3/cut') {
      response.writeHead(200, { 'Content-Length': 100 });
      response.write('x', () => response.destroy());
      return;
    }
    response.writeHead(429, { 'Retry-After': '7', 'X-RateLimit-Limit': '5', 'Set-Cookie': 'a=b' });
    response.end('slow down');
  });
  let admin: RunningAdmin;
  before(async () => {
    await new Promise<void>((resolve) => target.listen(0, '127.0.0.1', resolve));
    const { port } = target.address() as AddressInfo;
    const like = createStatus().networks[1];
    const networks = [
      { ...like, name: 'a', hosts: ['*.b.example', 'a.localhost'] },
      { ...like, name: 'b', hosts: ['*.b.example'] },
      { ...like, name: 'c', hosts: ['::7'] },
    ];
    admin = await startAdmin({
      sources: {
        service: createService('127.0.0.1', port),
        status: () => ({ ...createStatus(), networks }) as ReturnType<typeof createStatus>,
      },
    });
  });
  after(async () => {
    await admin.server.close();
    target.closeAllConnections();
    await new Promise((resolve) => target.close(resolve));
  });

  const refused: readonly { readonly name: string; readonly body: unknown; readonly status: number }[] = [
    { name: 'a network that there is not', body: { network: 'd', key: 'k', request: {} }, status: 400 },
    { name: 'a host', body: { network: 'a.localhost', key: 'k', request: {} }, status: 400 },
    { name: 'a network that is a path', body: { network: 'a/v3', key: 'k', request: {} }, status: 400 },
    { name: 'a network with a line', body: { network: 'a\r\nX: y', key: 'k', request: {} }, status: 400 },
    {
      name: 'a key that is a path',
      body: { network: 'a', key: '.', request: {} },
      status: 400,
    },
    { name: 'no key', body: { network: 'a', key: '', request: {} }, status: 400 },
    { name: 'a long key', body: { network: 'a', key: 'k'.repeat(129), request: {} }, status: 400 },
    { name: 'a batch', body: { network: 'a', key: 'k', request: [] }, status: 400 },
    { name: 'a target', body: { network: 'a', key: 'k', request: {}, port: 1 }, status: 400 },
    {
      name: 'a secret with a line',
      body: { network: 'a', key: 'k', secret: 'a\r\nX: y', request: {} },
      status: 400,
    },
    {
      name: 'a token with a comma',
      body: { network: 'a', key: 'k', token: 'a, Basic b', request: {} },
      status: 400,
    },
    { name: 'no object', body: '[]', status: 400 },
    { name: 'no JSON', body: '{', status: 400 },
    { name: 'a large body', body: `"${'x'.repeat(1024 * 1024)}"`, status: 413 },
  ];
  for (const { name, body, status } of refused) {
    test(`refuses ${name} without sending a request`, async () => {
      const before = seen.length;
      assert.equal((await post(admin.port, body)).status, status);
      assert.equal(seen.length, before);
    });
  }

  for (const [network, host] of [
    ['a', 'a.localhost'],
    ['b', 'console.b.example'],
    ['c', '[::7]'],
  ]) {
    test(`sends to network ${network} by path with Host ${host}, and returns the relevant response headers`, async () => {
      const { status, body } = await post(admin.port, { network, key: 'k', request: CHAIN_ID });
      assert.equal(status, 200);
      assert.deepEqual(seen.at(-1), { via: VIA, url: `/${network}/v3/k`, host });
      const answer = JSON.parse(body) as ConsoleAnswer;
      assert.equal(answer.status, 429);
      assert.equal(answer.body, 'slow down');
      assert.deepEqual(answer.headers, { 'retry-after': '7', 'x-ratelimit-limit': '5' });
    });
  }

  for (const [credentials, authorization] of [
    [{ secret: 'sesame' }, 'Basic OnNlc2FtZQ=='],
    [{ token: 'a.b-c.d_' }, 'Bearer a.b-c.d_'],
    [{ secret: 'sesame', token: 'a.b.c' }, 'Basic OnNlc2FtZQ==, Bearer a.b.c'],
  ] as const) {
    test(`sends ${Object.keys(credentials).join(' and ')} of a request as its credentials`, async () => {
      const requested = { network: 'a', key: 'k', ...credentials, request: CHAIN_ID };
      assert.equal((await post(admin.port, requested)).status, 200);
      assert.deepEqual(seen.at(-1), { via: VIA, url: '/a/v3/k', host: 'a.localhost', authorization });
      assert.deepEqual(admin.lines, []);
    });
  }

  test('returns an error when the answer breaks off', async () => {
    const { status, body } = await post(admin.port, {
      network: 'a',
      key: 'cut',
      request: CHAIN_ID,
    });
    assert.equal(status, 502);
    assert.match(body, /the service did not answer/);
  });

  test('runs at most sixteen requests at a time', async () => {
    const before = seen.length;
    const controllers = Array.from({ length: 16 }, () => new AbortController());
    const body = JSON.stringify({ network: 'a', key: 'hang', request: CHAIN_ID });
    const url = `http://127.0.0.1:${admin.port}/console`;
    const headers = { 'Content-Type': 'application/json' };
    for (const { signal } of controllers) {
      void fetch(url, { method: 'POST', headers, body, signal }).catch(() => {});
    }
    while (seen.length < before + 16) await new Promise((resolve) => setImmediate(resolve));
    assert.equal((await post(admin.port, { network: 'a', key: 'k', request: {} })).status, 503);
    for (const controller of controllers) controller.abort();
    let status = 503;
    while (status === 503) status = (await post(admin.port, { network: 'a', key: 'k', request: {} })).status;
    assert.equal(status, 200);
  });
});

test('the console returns an error when the service is unreachable', async () => {
  const admin = await startAdmin();
  const { status, body } = await post(admin.port, {
    network: 'devnet',
    key: 'k',
    request: CHAIN_ID,
  });
  await admin.server.close();
  assert.equal(status, 502);
  assert.match(body, /ECONNREFUSED/);
});
