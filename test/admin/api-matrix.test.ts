/** Authorisation of the Admin API: every route with no, a wrong, a read and a write credential; and requests of other sites. */
import assert from 'node:assert/strict';
import { describe, type TestContext, test } from 'node:test';
import { type ApiRoute, roleOf } from '../../src/admin/api/api-route.ts';
import { API_PATH, API_ROUTES } from '../../src/admin/api/api-routes.ts';
import { FakeClock } from '../support/fake-clock.ts';
import { readAuditFiles, startApi, TOKENS } from './api-support.ts';
import { ask, startAdmin } from './support.ts';

type Problem = {
  readonly type: string;
  readonly title: string;
  readonly status: number;
  readonly detail: string;
};

const KEY = 'correct-horse-battery';

/** Path of a route for an object that does not exist. */
function pathOf(route: ApiRoute): string {
  return `${API_PATH}${route.path.replaceAll(/\{\w+\}/g, '000000000000')}`;
}

/** Whether a status means that the credential was accepted, although the request itself may be refused. */
const isAccepted = (status: number): boolean => ![401, 403, 405, 429, 500].includes(status);

test('each route refuses no credential, a wrong one, and one whose role is too low', async (t) => {
  for (const route of API_ROUTES) {
    const role = roleOf(route);
    await t.test(`${route.method} ${route.path} needs the role ${role}`, async (inner) => {
      const api = await startApi(inner as TestContext);
      const request = { method: route.method, path: pathOf(route), ...(route.body && { json: {} }) };
      const refuse = async (token: string, status: number, detail: RegExp): Promise<void> => {
        const got = await api.send({ ...request, token });
        assert.equal(got.status, status);
        assert.equal(got.headers['content-type'], 'application/problem+json');
        const problem = JSON.parse(got.body) as Problem;
        assert.equal(problem.type, 'about:blank');
        assert.equal(problem.status, status);
        assert.match(problem.detail, detail);
        if (token !== '') assert.ok(!got.body.includes(token));
      };
      await refuse('', 401, /^a Bearer token of admin\.api is required$/);
      await refuse(TOKENS.wrong, 401, /^a Bearer token of admin\.api is required$/);
      if (role === 'write') {
        await refuse(TOKENS.read, 403, /^the credential auditor has the role read: .* role write$/);
      } else {
        const { status, body } = await api.send({ ...request, token: TOKENS.read });
        assert.ok(isAccepted(status), `${status}: ${body}`);
      }
      // Refused requests change nothing, so they are not in the log.
      const { entries } = await api.call<{ entries: unknown[] }>('GET', '/audit');
      assert.deepEqual(entries, []);
      const { status, body } = await api.send(request);
      assert.ok(isAccepted(status), `${status}: ${body}`);
    });
  }
});

describe('paths of the Admin API', () => {
  test('other methods get 405 with the methods of the path', async (t) => {
    const api = await startApi(t);
    const paths = new Set(API_ROUTES.map(pathOf));
    for (const path of paths) {
      const own = API_ROUTES.filter((route) => pathOf(route) === path).map(({ method }) => method);
      const allowed = own.flatMap((method) => (method === 'GET' ? ['GET', 'HEAD'] : [method]));
      for (const method of ['DELETE', 'PUT', 'OPTIONS']) {
        const { status, headers } = await api.send({ method, path });
        assert.equal(status, 405);
        assert.equal(headers['allow'], allowed.join(', '));
        assert.equal(headers['access-control-allow-origin'], undefined);
      }
    }
  });

  test('unknown paths get 404, with a credential only', async (t) => {
    const api = await startApi(t);
    for (const path of [
      '/admin/',
      '/admin/v1',
      '/admin/v1/',
      '/admin/v2/keys',
      '/admin/v1/keys/',
      '/admin/v1/keys/..',
    ]) {
      assert.equal((await api.send({ path })).status, 404, path);
      assert.equal((await api.send({ path, token: '' })).status, 401, path);
    }
  });
});

test('without admin.api there is no Admin API, and admin.key does not open it', async (t) => {
  const { server, port } = await startAdmin({ key: KEY });
  t.after(() => server.close());
  const headers = { Authorization: `Bearer ${KEY}` };
  assert.equal((await ask(port, { path: '/admin/v1/keys', headers })).status, 404);
  const api = await startApi(t, { key: KEY });
  assert.equal((await api.send({ path: '/admin/v1/keys', token: KEY })).status, 401);
  assert.equal((await api.send({ path: '/admin/v1/keys' })).status, 200);
  // A credential of the Admin API does not open the page.
  assert.equal((await api.send({ path: '/status' })).status, 401);
  const basic = `Basic ${Buffer.from(`:${TOKENS.write}`).toString('base64')}`;
  assert.equal((await api.send({ path: '/admin/v1/keys', headers: { Authorization: basic } })).status, 401);
});

test('requests of other sites are refused by the Admin API, whatever they carry', async (t) => {
  const api = await startApi(t);
  const change = { method: 'POST', path: '/admin/v1/keys', json: { name: 'a' } };
  const foreign: Readonly<Record<string, string>>[] = [
    { Origin: 'https://evil.example' },
    { Origin: 'null' },
    { Host: 'localhost:1', Origin: 'http://localhost:2' },
    { 'Sec-Fetch-Site': 'cross-site' },
    { 'Sec-Fetch-Site': 'same-site' },
    { Host: 'evil.example' },
    { Host: '127.0.0.1.evil.example' },
  ];
  for (const headers of foreign)
    assert.equal((await api.send({ ...change, headers })).status, 403, JSON.stringify(headers));
  assert.equal((await api.send({ path: '/admin/v1/keys', headers: { Host: 'evil.example' } })).status, 403);
  // A form of another site can send only these types without a preflight, which gets 405.
  for (const type of ['text/plain', 'application/x-www-form-urlencoded', 'multipart/form-data; boundary=a']) {
    const { status } = await api.send({ ...change, headers: { 'Content-Type': type } });
    assert.equal(status, 415);
  }
  const preflight = { Origin: 'https://evil.example', 'Access-Control-Request-Method': 'POST' };
  const { status, headers } = await api.send({
    method: 'OPTIONS',
    path: '/admin/v1/keys',
    token: '',
    headers: preflight,
  });
  assert.equal(status, 403);
  assert.equal(headers['access-control-allow-origin'], undefined);
  assert.deepEqual(await api.book.list(), []);
  const own = { Host: 'localhost:1', Origin: 'http://localhost:1', 'Sec-Fetch-Site': 'same-origin' };
  assert.equal((await api.send({ ...change, headers: own })).status, 201);
});

test('bodies of the Admin API are bounded, and their errors name the member', async (t) => {
  const api = await startApi(t);
  const create = async (body: string): Promise<readonly [number, string]> => {
    const headers = { 'Content-Type': 'application/json' };
    const got = await api.send({ method: 'POST', path: '/admin/v1/keys', headers, body });
    return [got.status, (JSON.parse(got.body) as Problem).detail];
  };
  assert.deepEqual(await create('{'), [400, 'the body is not JSON']);
  assert.deepEqual(await create(' '.repeat(65_537)), [413, 'the body exceeds 65536 bytes']);
  assert.deepEqual(await create('[]'), [422, 'expected a map, not a list']);
  assert.deepEqual(await create('{}'), [422, 'name: is missing']);
  assert.match((await create('{"name":"a","settings":{"secretHash":"00"}}'))[1], /^settings: .*secretHash/);
  assert.match((await create('{"name":"a","extra":1}'))[1], /extra/);
});

test('after thirty wrong tokens every token is refused until time has passed', async (t) => {
  const clock = new FakeClock();
  const api = await startApi(t, { clock });
  const send = async (token: string): Promise<number> =>
    (await api.send({ path: '/admin/v1/keys', token })).status;
  for (let i = 0; i < 30; i++) assert.equal(await send(`wrong-token-number-${i}`), 401);
  const refused = await api.send({ path: '/admin/v1/keys' });
  assert.equal(refused.status, 429);
  assert.equal(refused.headers['retry-after'], '1');
  assert.match((JSON.parse(refused.body) as Problem).detail, /too many wrong keys/);
  assert.equal(await send(''), 401);
  await clock.advance(1_000);
  assert.equal(await send(TOKENS.read), 200);
  assert.ok(!api.lines.join('').includes('wrong-token-number'));
  assert.ok(api.lines.some((line) => line.includes('admin.guesses')));
});

test('wrong tokens and wrong keys of the page count together', async (t) => {
  const api = await startApi(t, { key: KEY, clock: new FakeClock() });
  for (let i = 0; i < 15; i++) {
    await api.send({ path: '/admin/v1/keys', token: TOKENS.wrong });
    await api.send({ path: '/status', token: TOKENS.wrong });
  }
  assert.equal((await api.send({ path: '/admin/v1/keys' })).status, 429);
  assert.equal((await api.send({ path: '/status', token: KEY })).status, 429);
});

test('the audit log has no secret of a request or an answer', async (t) => {
  const api = await startApi(t);
  type Issued = { readonly key: string; readonly secret?: string; readonly record: { readonly id: string } };
  const issued = await api.call<Issued>('POST', '/keys', { name: 'wallet', secret: true });
  const rotated = await api.call<Issued>('POST', `/keys/${issued.record.id}/rotate`, {});
  const text = JSON.stringify(readAuditFiles(api.folder));
  for (const secret of [issued.key, issued.secret as string, rotated.key, ...Object.values(TOKENS)]) {
    assert.ok(secret.length > 16);
    assert.ok(!text.includes(secret));
    assert.ok(!api.lines.join('').includes(secret));
  }
});
