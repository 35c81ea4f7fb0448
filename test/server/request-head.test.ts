import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import {
  findRoute,
  type RequestTarget,
  readRequestHead,
  readSessionParameter,
} from '../../src/server/request-head.ts';

const keyed = (
  to: 'http' | 'webSocket',
  network: string | undefined,
  key: string | undefined,
): RequestTarget => ({
  to,
  network,
  key,
});
const NOTHING: RequestTarget = { to: 'nothing' };

const ROUTES: Readonly<Record<string, RequestTarget>> = {
  '/v3/k': keyed('http', undefined, 'k'),
  '/v3/': keyed('http', undefined, undefined),
  '/v3': keyed('http', undefined, undefined),
  '/v3?x=/a/v3/b': keyed('http', undefined, undefined),
  '/v3/k?x=/y': keyed('http', undefined, 'k'),
  '/ws/v3/k': keyed('webSocket', undefined, 'k'),
  '/ws/v3': keyed('webSocket', undefined, undefined),
  '/net/v3/k': keyed('http', 'net', 'k'),
  '/net/v3/': keyed('http', 'net', undefined),
  '/net/v3': keyed('http', 'net', undefined),
  '/net/v3/k?q': keyed('http', 'net', 'k'),
  '/net/ws/v3/k': keyed('webSocket', 'net', 'k'),
  '/net/ws/v3': keyed('webSocket', 'net', undefined),
  '/Some_net-1/v3/k': keyed('http', 'Some_net-1', 'k'),
  '/__proto__/v3/k': keyed('http', '__proto__', 'k'),
  '/health/v3/k': keyed('http', 'health', 'k'),
  '/wsx/v3/k': keyed('http', 'wsx', 'k'),
  '/v33/v3/k': keyed('http', 'v33', 'k'),
  [`/${'n'.repeat(64)}/v3/k`]: keyed('http', 'n'.repeat(64), 'k'),
  [`/${'n'.repeat(65)}/v3/k`]: NOTHING,
  '/ws/ws/v3/k': NOTHING,
  '/v3/v3/k': NOTHING,
  '/v3/k/': NOTHING,
  '/v3/k/l': NOTHING,
  '//v3/k': NOTHING,
  '/net//v3/k': NOTHING,
  '/net/v3//k': NOTHING,
  '/net/v3/k/': NOTHING,
  '/a/b/v3/k': NOTHING,
  '/a/../net/v3/k': NOTHING,
  '/./v3/k': NOTHING,
  '/n%65t/v3/k': NOTHING,
  '/net/%763/k': NOTHING,
  '/net%2fv3/k': NOTHING,
  '/net\\v3/k': NOTHING,
  '/net;x/v3/k': NOTHING,
  '/net/V3/k': NOTHING,
  '/net/WS/v3/k': NOTHING,
  'net/v3/k': NOTHING,
  '/net/openrpc.json': NOTHING,
  '/openrpc.json': { to: 'openRpc' },
  '/health/live?x': { to: 'live' },
  '/health/ready': { to: 'ready' },
  '*': NOTHING,
  '': NOTHING,
};

for (const [target, route] of Object.entries(ROUTES)) {
  test(`"${target.slice(0, 30)}" leads to ${route.to}`, () => assert.deepEqual(findRoute(target), route));
}

test('a path has at most one network, key and transport, and is the only spelling of them', () => {
  const segment = fc.constantFrom('v3', 'ws', 'net', 'k', '', '.', '..', '%76%33', 'a b');
  fc.assert(
    fc.property(fc.array(segment, { maxLength: 5 }), (segments) => {
      const target = `/${segments.join('/')}`;
      const route = findRoute(target);
      if (!('key' in route)) return;
      const { to, network, key = '' } = route;
      const written = `${network === undefined ? '' : `/${network}`}${to === 'http' ? '' : '/ws'}/v3/${key}`;
      assert.ok(target === written || `${target}/` === written, target);
    }),
  );
});

test('a session is read from its header, or from the query of a WebSocket, up to a length', () => {
  const long = 's'.repeat(200);
  assert.equal(readRequestHead(['X-Portcullis-Session', 'wallet 1']).session, 'wallet 1');
  assert.equal(readRequestHead(['x-portcullis-session', long]).session, long.slice(0, 128));
  assert.equal(readRequestHead(['X-Portcullis-Session', '']).session, undefined);
  assert.equal(readRequestHead(['X-Portcullis-Sessions', 'a']).session, undefined);
  assert.equal(readSessionParameter('/ws/v3/k?session=a%20b&x=1'), 'a b');
  assert.equal(readSessionParameter(`/ws/v3/k?session=${long}`), long.slice(0, 128));
  for (const target of ['/ws/v3/k', '/ws/v3/k?', '/ws/v3/k?session=', '/ws/v3/k?sessions=a'])
    assert.equal(readSessionParameter(target), undefined, target);
});

test('headers that only proxies add mark a request as forwarded, in any case', () => {
  const names = [
    'Via',
    'via',
    'Forwarded',
    'X-Real-IP',
    'x-real-ip',
    'X-Forwarded-For',
    'X-FORWARDED-Proto',
    'x-forwarded-x',
  ];
  for (const name of names) assert.equal(readRequestHead(['Host', 'a', name, '']).isForwarded, true, name);
  for (const name of ['Vib', 'X-Forwarded', 'X-Forwarded-', 'X-Forwardedxx-For', 'X-Realm-IP', 'Forwards'])
    assert.equal(readRequestHead([name, '1']).isForwarded, undefined, name);
});
