import assert from 'node:assert/strict';
import { test } from 'node:test';
import { findStringEnd } from '../../../../packages/ethereum/primitives/json-strings.ts';

test('a string ends at the first unescaped quote, after any number of backslashes', () => {
  for (const pairs of [0, 1, 511, 512, 513, 1_024, 100_000]) {
    const text = `{"${'\\\\'.repeat(pairs)}":"x"}`;
    assert.equal(findStringEnd(text, 1), 2 + 2 * pairs);
    const escaped = `{"${'\\\\'.repeat(pairs)}\\"a":"x"}`;
    assert.equal(findStringEnd(escaped, 1), 2 + 2 * pairs + 3);
  }
});
