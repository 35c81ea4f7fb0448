import assert from 'node:assert/strict';
import { test } from 'node:test';
import { decodeBlockReference, encodeBlockReference } from '../../src/chain/block-reference.ts';
import type { BlockReference } from '../../src/chain/requests.ts';

const HASH = `0x${'b1'.repeat(32)}`;

const FORMS: readonly (readonly [BlockReference, unknown])[] = [
  [{ kind: 'tag', tag: 'latest' }, 'latest'],
  [{ kind: 'tag', tag: 'pending' }, 'pending'],
  [{ kind: 'number', number: 0n }, '0x0'],
  [{ kind: 'number', number: 2n ** 63n - 1n }, '0x7fffffffffffffff'],
  [
    { kind: 'hash', hash: HASH, requireCanonical: true },
    { blockHash: HASH, requireCanonical: true },
  ],
];

for (const [reference, wire] of FORMS) {
  test(`${JSON.stringify(wire)} is encoded and decoded`, () => {
    assert.deepEqual(encodeBlockReference(reference), wire);
    assert.deepEqual(decodeBlockReference(wire), reference);
  });
}

test('malformed block references are refused', () => {
  for (const value of ['soon', '12', '', null, undefined, 12, {}, { blockNumber: '0x1' }]) {
    assert.throws(() => decodeBlockReference(value), RangeError);
  }
});
