import assert from 'node:assert/strict';
import { test } from 'node:test';
import { NetworkRegistry } from '../../src/gateway/network-registry.ts';
import type { Network } from '../../src/methods/network.ts';
import { createScriptedNetwork, ScriptedChain } from './scripted-network.ts';

function network(name: string): Network {
  return createScriptedNetwork(new ScriptedChain(), { name });
}

const BINDINGS = [
  { hosts: ['devnet.localhost', '[::1]'], network: network('devnet') },
  { hosts: ['*.linea.example', 'Linea.Example.'], network: network('linea') },
  { hosts: ['*.sepolia.linea.example'], network: network('sepolia') },
];

const FOUND: readonly [host: string, name: string | undefined][] = [
  ['devnet.localhost', 'devnet'],
  ['DevNet.LocalHost:8545', 'devnet'],
  ['devnet.localhost.', 'devnet'],
  ['devnet.localhost.:8545', 'devnet'],
  ['[::1]', 'devnet'],
  ['[::1]:8545', 'devnet'],
  ['linea.example', 'linea'],
  ['a.linea.example:1', 'linea'],
  ['a.b.linea.example', 'linea'],
  ['x.sepolia.linea.example', 'sepolia'],
  ['sepolia.linea.example', 'linea'],
  ['notlinea.example', undefined],
  ['.linea.example', undefined],
  ['localhost', undefined],
  ['devnet.localhost..', undefined],
  ['[::1', undefined],
  ['', undefined],
  [':8545', undefined],
  [`${'a'.repeat(300)}.linea.example`, undefined],
];

test('expected Host headers are the hosts of a network, loopback names, IP addresses and none', () => {
  const registry = new NetworkRegistry(BINDINGS);
  for (const host of [
    ...['devnet.localhost', 'a.linea.example:1', 'localhost', 'Localhost:8545', '127.0.0.1'],
    ...['127.0.0.1:8545', '[::1]:1', '[2001:db8::1]', '10.0.0.1', '', undefined],
  ]) {
    assert.equal(registry.expects(host), true, host);
  }
  for (const host of [
    'evil.example',
    'localhost.example',
    'x.localhost',
    'xlocalhost',
    '127.0.0.1.example',
    'a1.2',
  ]) {
    assert.equal(registry.expects(host), false, host);
  }
  assert.equal(new NetworkRegistry(BINDINGS, network('any')).expects('evil.example'), true);
});

for (const [host, name] of FOUND) {
  test(`host "${host.slice(0, 40)}" is ${name}`, () => {
    assert.equal(new NetworkRegistry(BINDINGS).find(host)?.name, name);
  });
}

test('a default network serves unmatched hosts, and requests without a Host', () => {
  const registry = new NetworkRegistry(BINDINGS, network('default'));
  assert.equal(registry.find('elsewhere')?.name, 'default');
  assert.equal(registry.find(undefined)?.name, 'default');
  assert.equal(registry.find('devnet.localhost')?.name, 'devnet');
  assert.equal(new NetworkRegistry(BINDINGS).find(undefined), undefined);
});

test('a duplicate host, or one that cannot match, is rejected', () => {
  const bind = (...hosts: string[]): NetworkRegistry =>
    new NetworkRegistry([{ hosts, network: network('a') }]);
  assert.throws(() => bind('a.b', 'A.B.'), /host A\.B\. belongs to both a and a/);
  for (const host of [
    '',
    '*',
    '*.',
    'a.*.b',
    'a b',
    '*.*.b',
    '[::1',
    'http://a',
    'a:80',
    '*.a:80',
    '[::1]:80',
    '*.::1',
  ]) {
    assert.throws(() => bind(host), RangeError, host);
  }
});
