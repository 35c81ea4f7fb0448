import assert from 'node:assert/strict';
import { test } from 'node:test';
import { KeyRules } from '../../src/access/key-rules.ts';
import type { KeySettings } from '../../src/access/keys/key-settings.ts';

const PLACE = { network: 'mainnet', origin: 'https://app.example.org', userAgent: 'viem/2.0' };
const ADDRESS = `0x${'ab'.repeat(20)}`;

const rulesOf = (settings: KeySettings): KeyRules => KeyRules.of(settings) as KeyRules;

test('settings without lists create no rules', () => {
  assert.equal(KeyRules.of({ rate: { perSecond: 1, burst: 1 }, dailyCredits: 1 }), undefined);
});

test('send: false creates rules that forbid sending, send: true creates none', () => {
  assert.equal(rulesOf({ send: false }).maySend, false);
  assert.ok(rulesOf({ send: false }).admits(PLACE));
  assert.equal(rulesOf({ networks: ['mainnet'] }).maySend, true);
  assert.equal(KeyRules.of({ send: true }), undefined);
});

test('a request must match every list, and one entry of each list', () => {
  const rules = rulesOf({
    networks: ['mainnet', 'linea'],
    origins: ['https://other.example.org', 'https://app.example.org'],
    userAgents: ['ethers', 'viem'],
  });
  assert.ok(rules.admits(PLACE));
  assert.ok(rules.admits({ ...PLACE, network: 'linea' }));
  assert.ok(!rules.admits({ ...PLACE, network: 'base' }));
  assert.ok(!rules.admits({ ...PLACE, origin: undefined }));
  assert.ok(!rules.admits({ ...PLACE, userAgent: 'curl' }));
  assert.ok(!rules.admits({ ...PLACE, userAgent: undefined }));
});

test('origins match exactly, or by a wildcard for subdomains', () => {
  const rules = rulesOf({ origins: ['https://*.example.org', 'http://localhost:3000'] });
  const admits = (origin: string): boolean => rules.admits({ ...PLACE, origin });
  for (const good of ['https://a.example.org', 'https://A.B.EXAMPLE.org', 'http://localhost:3000']) {
    assert.ok(admits(good), good);
  }
  for (const bad of [
    'https://example.org',
    'http://a.example.org',
    'https://a.example.org.evil.com',
    'https://evil.com/.example.org',
    'https://a.example.org:8443',
    'http://localhost',
    'null',
    '',
  ]) {
    assert.ok(!admits(bad), bad);
  }
});

test('methods are allowed under their name or their alias', () => {
  const rules = rulesOf({ methods: ['eth_call', 'l2_estimateGas'] });
  assert.ok(rules.allowsMethod('eth_call', 'eth_call'));
  assert.ok(rules.allowsMethod('linea_estimateGas', 'l2_estimateGas'));
  assert.ok(!rules.allowsMethod('eth_estimateGas', 'eth_estimateGas'));
});

test('a list of contracts refuses other addresses, null and values that are not addresses', () => {
  const rules = rulesOf({ addresses: [ADDRESS] });
  const allows = (touched: readonly unknown[] | 'anything'): boolean =>
    rules.allowsContracts(() => touched, []);
  assert.ok(allows([]), 'what touches no contract is every key’s');
  assert.ok(allows([ADDRESS, ADDRESS.toUpperCase().replace('0X', '0x')]));
  assert.ok(!allows('anything'));
  for (const bad of [
    `0x${'00'.repeat(20)}`,
    null,
    undefined,
    [ADDRESS],
    { to: ADDRESS },
    'x',
    `${ADDRESS} `,
  ]) {
    assert.ok(!allows([bad]), String(bad));
    assert.ok(!allows([ADDRESS, bad]), `${ADDRESS}, ${String(bad)}`);
  }
  assert.ok(
    rulesOf({ methods: ['eth_call'] }).allowsContracts(() => 'anything', []),
    'a key without such a list',
  );
});
