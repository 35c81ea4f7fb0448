import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { findNearName, suggestName } from '../../src/util/near-name.ts';

const NAMES = ['eth_call', 'eth_estimateGas', 'eth_chainId', 'devnet', 'warn', 'l1'];

for (const [provided, meant] of [
  ['eth_cal', 'eth_call'],
  ['eth_clal', 'eth_call'],
  ['ETH_CALL', 'eth_call'],
  ['eth_estimateGsa', 'eth_estimateGas'],
  ['devnt', 'devnet'],
  ['warning', 'warn'],
  ['l2', 'l1'],
  ['nope', undefined],
  ['x', undefined],
  ['', undefined],
  ['debug_traceCall', undefined],
] as const) {
  test(`the name nearest to ${provided} is ${meant}`, () =>
    assert.equal(findNearName(provided, NAMES), meant));
}

test('a name is nearest to itself, and without a near name there is no suggestion', () => {
  fc.assert(fc.property(fc.constantFrom(...NAMES), (name) => findNearName(name, NAMES) === name));
  assert.equal(suggestName('devnt', NAMES), ', did you mean devnet?');
  assert.equal(suggestName('nope', NAMES), '');
});

test('names of any length are compared in bounded time', () => {
  assert.equal(findNearName('x'.repeat(1_000_000), ['y'.repeat(1_000_000)]), undefined);
});
