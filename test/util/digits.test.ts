import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { formatDigits } from '../../src/util/digits.ts';
import { countRuns } from '../support/count-runs.ts';

test('integers have the decimal digits that String gives them', () => {
  for (const value of [
    0,
    9,
    999,
    1_000,
    1_001,
    999_999,
    1_000_000,
    2 ** 31,
    10 ** 12,
    Number.MAX_SAFE_INTEGER,
  ])
    assert.equal(formatDigits(value), String(value));
  fc.assert(
    fc.property(fc.maxSafeNat(), (value) => formatDigits(value) === String(value)),
    { numRuns: countRuns(1_000) },
  );
});
