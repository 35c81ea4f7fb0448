import assert from 'node:assert/strict';
import { test } from 'node:test';
import { findHostProblem, isHostName } from '../../src/util/host.ts';

for (const host of [
  '127.0.0.1',
  '0.0.0.0',
  '::',
  '::1',
  'fe80::1%eth0',
  'localhost',
  'a.example.org',
  'node-1',
  '1.example',
]) {
  test(`a server may listen on ${host}`, () => {
    assert.equal(findHostProblem(host), undefined);
  });
}

const rows: readonly (readonly [host: string, problem: RegExp])[] = [
  ['300.1.1.1', /a host name does not end with a number$/],
  ['1.2.3', /a host name does not end with a number$/],
  ['127.1', /a host name does not end with a number$/],
  ['a.b.0x1f', /a host name does not end with a number$/],
  ['', /^expected an IP address such as 127\.0\.0\.1, 0\.0\.0\.0 or ::, or a host name$/],
  ['a b', /or a host name$/],
  ['a..b', /or a host name$/],
  ['.', /or a host name$/],
  ['a-', /or a host name$/],
  ['-a', /or a host name$/],
  ['http://a', /or a host name$/],
  ['*', /^expected 0\.0\.0\.0 for every IPv4 address/],
  ['[::1]', /without brackets$/],
  ['[::1]:80', /without brackets$/],
  ['127.0.0.1:8545', /without a port: set port$/],
  ['localhost:8545', /without a port: set port$/],
];
for (const [host, problem] of rows) {
  test(`a server cannot listen on ${JSON.stringify(host)}`, () => {
    assert.match(findHostProblem(host) ?? '', problem);
  });
}

test('a host name has at most 253 characters', () => {
  const labels = 'a.'.repeat(126);
  assert.ok(isHostName(`${labels}b`));
  assert.ok(!isHostName(`${labels}bc`));
});
