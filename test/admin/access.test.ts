/** Access to the admin server: with a key, without one, and by origin of the page. */
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { type Asked, ask, type RunningAdmin, startAdmin } from './support.ts';

const KEY = 'correct-horse-battery';
const JSON_BODY = { 'Content-Type': 'application/json' };

function basic(user: string, password: string): string {
  return `Basic ${Buffer.from(`${user}:${password}`).toString('base64')}`;
}

type Row = Asked & { readonly name: string; readonly status: number };

describe('the admin server without a key', () => {
  let admin: RunningAdmin;
  before(async () => {
    admin = await startAdmin();
  });
  after(() => admin.server.close());

  const rows: readonly Row[] = [
    { name: 'its address', status: 200 },
    { name: 'localhost', headers: { Host: 'localhost:9545' }, status: 200 },
    { name: 'a name below localhost', headers: { Host: 'admin.localhost' }, status: 200 },
    { name: 'another address of loopback', headers: { Host: '127.8.9.1:1' }, status: 200 },
    { name: 'loopback in IPv6', headers: { Host: '[::1]:9545' }, status: 200 },
    { name: 'a name that was rebound', headers: { Host: 'evil.example' }, status: 403 },
    { name: 'a name that begins like loopback', headers: { Host: '127.0.0.1.evil.example' }, status: 403 },
    { name: 'a name that ends like loopback', headers: { Host: 'evil-localhost' }, status: 403 },
    { name: 'an address of the network', headers: { Host: '192.168.0.7:9545' }, status: 403 },
    { name: 'what is no name', headers: { Host: 'evil.example@localhost' }, status: 403 },
    {
      name: 'metrics by a name that was rebound',
      path: '/metrics',
      headers: { Host: 'evil.example' },
      status: 403,
    },
    { name: 'another verb', method: 'PUT', status: 405 },
    { name: 'a post to the page', method: 'POST', status: 405 },
    { name: 'a deletion of the console', method: 'DELETE', path: '/console', status: 405 },
    { name: 'a path that nothing has', path: '/nope', status: 404 },
    { name: 'an empty file name', path: '/status/', status: 404 },
    { name: 'a way up', path: '/status/../../../package.json', status: 404 },
    { name: 'a way up in disguise', path: '/status/%2e%2e/admin-server.js', status: 404 },
    { name: 'a way up with a backslash', path: '/status/..\\admin-server.js', status: 404 },
    { name: 'a module that is the server’s', path: '/status/admin-server.js', status: 404 },
    { name: 'a source map', path: '/status/main.js.map', status: 404 },
    { name: 'another origin as target', path: 'http://evil.example/status', status: 404 },
    { name: 'a query', path: '/status?x=1', status: 200 },
    { name: 'a head', method: 'HEAD', status: 200 },
  ];
  for (const { name, status, ...requested } of rows) {
    test(`${status} for ${name}`, async () => {
      assert.equal((await ask(admin.port, requested)).status, status);
    });
  }

  const posts: readonly Row[] = [
    { name: 'a program', headers: {}, status: 400 },
    { name: 'the page', headers: { Host: 'localhost:1', Origin: 'http://localhost:1' }, status: 400 },
    {
      name: 'the page behind TLS',
      headers: { Host: 'a.localhost', Origin: 'https://a.localhost' },
      status: 400,
    },
    { name: 'another site', headers: { Origin: 'https://evil.example' }, status: 403 },
    { name: 'another port', headers: { Host: 'localhost:1', Origin: 'http://localhost:2' }, status: 403 },
    { name: 'a page without an origin', headers: { Origin: 'null' }, status: 403 },
    { name: 'what a browser calls another site', headers: { 'Sec-Fetch-Site': 'cross-site' }, status: 403 },
    { name: 'a form', headers: { 'Content-Type': 'text/plain' }, status: 415 },
  ];
  for (const { name, status, headers } of posts) {
    test(`${status} for a post of ${name}`, async () => {
      const requested = {
        method: 'POST',
        path: '/console',
        headers: { ...JSON_BODY, ...headers },
        body: '{}',
      };
      assert.equal((await ask(admin.port, requested)).status, status);
    });
  }

  test('answers forbid framing, caching, sniffing and foreign scripts', async () => {
    for (const path of ['/', '/status', '/status/main.js', '/status.json', '/nope']) {
      const { headers } = await ask(admin.port, { path });
      assert.match(String(headers['content-security-policy']), /^default-src 'none'; script-src 'self';/);
      assert.match(String(headers['content-security-policy']), /frame-ancestors 'none'$/);
      assert.equal(headers['cache-control'], 'no-store');
      assert.equal(headers['x-content-type-options'], 'nosniff');
      assert.equal(headers['referrer-policy'], 'no-referrer');
      assert.equal(headers['access-control-allow-origin'], undefined);
    }
  });

  test('answers 431 to an oversized request head', async () => {
    const { status } = await ask(admin.port, { headers: { 'X-Large': 'x'.repeat(20_000) } });
    assert.equal(status, 431);
  });
});

describe('the admin server with a key', () => {
  let admin: RunningAdmin;
  before(async () => {
    admin = await startAdmin({
      key: KEY,
      sources: { metrics: async () => ({ contentType: 'text/plain; version=0.0.4', text: 'up 1\n' }) },
    });
  });
  after(() => admin.server.close());

  const rows: readonly Row[] = [
    { name: 'nothing', status: 401 },
    { name: 'the key as token', headers: { Authorization: `Bearer ${KEY}` }, status: 200 },
    { name: 'the key as password', headers: { Authorization: basic('', KEY) }, status: 200 },
    { name: 'the key as password of any user', headers: { Authorization: basic('me', KEY) }, status: 200 },
    { name: 'the key as user', headers: { Authorization: basic(KEY, '') }, status: 401 },
    { name: 'another token', headers: { Authorization: `Bearer ${KEY}x` }, status: 401 },
    { name: 'a part of the key', headers: { Authorization: `Bearer ${KEY.slice(0, -1)}` }, status: 401 },
    { name: 'an empty token', headers: { Authorization: 'Bearer ' }, status: 401 },
    { name: 'no scheme', headers: { Authorization: KEY }, status: 401 },
    { name: 'what is no base64', headers: { Authorization: 'Basic !!' }, status: 401 },
    { name: 'the key in the query', path: `/status?key=${KEY}`, status: 401 },
    {
      name: 'the key, by any host name',
      headers: { Host: 'admin.example.org', Authorization: basic('', KEY) },
      status: 200,
    },
  ];
  for (const path of [
    '/status',
    '/metrics',
    '/status.json',
    '/status/main.js',
    '/openrpc.json',
    '/console',
    '/nope',
  ]) {
    test(`401 for ${path} without the key`, async () => {
      const { status, headers } = await ask(admin.port, { path });
      assert.equal(status, 401);
      assert.match(String(headers['www-authenticate']), /^Basic /);
    });
  }
  for (const { name, status, ...requested } of rows) {
    test(`${status} for ${name}`, async () => {
      assert.equal((await ask(admin.port, requested)).status, status);
    });
  }

  test('refuses a post of another site even if the browser adds the key', async () => {
    const headers = { ...JSON_BODY, Authorization: basic('', KEY), Origin: 'https://evil.example' };
    const { status } = await ask(admin.port, { method: 'POST', path: '/console', headers, body: '{}' });
    assert.equal(status, 403);
  });

  test('returns the metrics unchanged', async () => {
    const { headers, body } = await ask(admin.port, {
      path: '/metrics',
      headers: { Authorization: `Bearer ${KEY}` },
    });
    assert.equal(headers['content-type'], 'text/plain; version=0.0.4');
    assert.equal(body, 'up 1\n');
  });

  test('logs never contain the key', () => {
    assert.ok(!admin.lines.join('').includes(KEY));
  });
});
