import assert from 'node:assert/strict';
import { isIP } from 'node:net';
import { test } from 'node:test';
import fc from 'fast-check';
import type { Visitor } from '../../src/gateway/visitor.ts';
import { normalizeAddress, parseForwardedAddress } from '../../src/server/ip-address.ts';
import { isProxyRange, TrustedProxies } from '../../src/server/trusted-proxies.ts';
import { VisitorReader } from '../../src/server/visitor.ts';
import { createFakeGateway, encodeHead, encodeRequest, exchange, KEY, startServer } from './support.ts';

const untrusted = fc
  .oneof(fc.ipV4(), fc.ipV6())
  .map((address) => normalizeAddress(address) as string)
  .filter((address) => !new TrustedProxies(['private', 'loopback']).has(address));
const trusted = fc.oneof(
  fc.tuple(fc.nat(255), fc.nat(255), fc.nat(255)).map((bytes) => `10.${bytes.join('.')}`),
  fc.tuple(fc.nat(255), fc.nat(255), fc.nat(255)).map((bytes) => `127.${bytes.join('.')}`),
  fc.nat(0xffff).map((group) => `fd00::${group.toString(16)}`),
  fc.constant('::1'),
);
/** An address as proxies write it. */
const spellings = (address: string): fc.Arbitrary<string> =>
  isIP(address) === 4
    ? fc.constantFrom(address, `${address}:55`, `::ffff:${address}`, `[::FFFF:${address}]:1`, ` ${address}\t`)
    : fc.constantFrom(address, `[${address}]`, `[${address}]:65535`, address.toUpperCase());
const reader = new VisitorReader(['private', 'loopback']);

test('an untrusted client cannot choose its address', () => {
  fc.assert(
    fc.property(untrusted, fc.oneof(fc.string(), fc.array(trusted).map(String)), (peer, header) => {
      assert.equal(reader.findAddress(peer, header), peer);
    }),
  );
});

test('behind k trusted proxies the address is the k+1st from the right, whatever is left of it', () => {
  const hops = fc.array(trusted.chain(spellings), { maxLength: 20 });
  const client = untrusted.chain((address) => spellings(address).map((text) => ({ address, text })));
  fc.assert(
    fc.property(
      trusted,
      hops,
      client,
      fc.string(),
      fc.boolean(),
      (peer, proxies, { address, text }, left, hasLeft) => {
        const entries = [...(hasLeft ? [left] : []), text, ...proxies];
        assert.equal(reader.findAddress(normalizeAddress(peer) as string, entries.join(',')), address);
      },
    ),
  );
});

test('the search ends before a malformed entry, at the last valid one', () => {
  for (const bad of [
    '',
    ' ',
    'unknown',
    '_hidden',
    '1.2.3',
    '01.2.3.4',
    '1.2.3.4:',
    '[::1',
    '::1]',
    '1.2.3.4:x',
    '[1.2.3.4]:5',
    'x'.repeat(5_000),
  ]) {
    assert.equal(reader.findAddress('10.0.0.1', `9.9.9.9,${bad},10.0.0.2`), '10.0.0.2', bad);
    assert.equal(reader.findAddress('10.0.0.1', `9.9.9.9,${bad}`), '10.0.0.1', bad);
  }
  assert.equal(reader.findAddress('10.0.0.1', ''), '10.0.0.1');
  assert.equal(reader.findAddress('10.0.0.1', undefined), '10.0.0.1');
});

test('with only trusted hops the first entry is the client, but only the end of a long list is read', () => {
  assert.equal(reader.findAddress('10.0.0.1', '10.0.0.3, 10.0.0.2'), '10.0.0.3');
  const endless = `9.9.9.9,${Array.from({ length: 1_000 }, (_, i) => `10.0.${i >> 8}.${i & 255}`).join(',')}`;
  assert.equal(reader.findAddress('10.0.0.1', endless), '10.0.3.200');
});

test('an address is normalised to one spelling', () => {
  for (const [text, address] of [
    ['::ffff:1.2.3.4', '1.2.3.4'],
    ['::ffff:102:304', '1.2.3.4'],
    ['0:0:0:0:0:0:0:1', '::1'],
    ['2001:DB8::0', '2001:db8::'],
    ['fe80::1%eth0', 'fe80::1'],
  ] as const) {
    assert.equal(normalizeAddress(text), address);
    assert.equal(parseForwardedAddress(`[${text}]:80`), address);
  }
  fc.assert(
    fc.property(
      fc.string(),
      (text) => [undefined, text].includes(normalizeAddress(text)) || isIP(text) === 6,
    ),
  );
});

test('ranges of trusted proxies are validated and matched', () => {
  for (const range of [
    '1.2.3.4',
    '10.0.0.0/8',
    '0.0.0.0/0',
    '::/0',
    'fd00::/8',
    '::1',
    'loopback',
    'private',
  ]) {
    assert.ok(isProxyRange(range), range);
  }
  for (const range of [
    '',
    'host',
    'constructor',
    '1.2.3.4/33',
    '::/129',
    '1.2.3.4/',
    '/8',
    '1.2.3.4/08',
    '::ffff:1.2.3.4/96',
    '1.2.3.4/8/8',
  ]) {
    assert.ok(!isProxyRange(range), range);
  }
  const proxies = new TrustedProxies(['192.0.2.0/24', '2001:db8::/32', '198.51.100.7']);
  for (const inside of ['192.0.2.255', '2001:db8:ffff::1', '198.51.100.7']) assert.ok(proxies.has(inside));
  for (const outside of ['192.0.3.0', '2001:db9::', '198.51.100.8', '', '::1'])
    assert.ok(!proxies.has(outside));
});

for (const [trustedProxies, address] of [
  [[], '127.0.0.1'],
  [['10.0.0.0/8'], '127.0.0.1'],
  [['loopback'], '203.0.113.9'],
] as const) {
  test(`the gateway gets ${address} when [${trustedProxies}] are trusted, on each path through the server`, async (t) => {
    const gateway = createFakeGateway();
    const seen: Visitor[] = [];
    const { port } = await startServer(t, {
      listen: { trustedProxies },
      gateway: {
        ...gateway,
        admit: (visitor) => {
          seen.push(visitor);
          return gateway.admit(visitor);
        },
      },
    });
    const forwarded = { 'X-Forwarded-For': '198.51.100.1, 203.0.113.9' };
    await exchange(port, encodeRequest('1', forwarded));
    await exchange(port, encodeRequest('1', { ...forwarded, TE: 'trailers' }));
    const upgrade = { Upgrade: 'websocket', Connection: 'Upgrade', Host: 'test.localhost' };
    await exchange(port, encodeHead('GET', `/ws/v3/${KEY}`, { ...upgrade, ...forwarded }));
    assert.deepEqual(
      seen.map((visitor) => visitor.address),
      [address, address, address],
    );
  });
}
