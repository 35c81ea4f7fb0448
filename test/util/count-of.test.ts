import assert from 'node:assert/strict';
import { test } from 'node:test';
import { countOf } from '../../src/util/count-of.ts';

test('one thing has a singular noun, any other number a plural', () => {
  assert.deepEqual(
    [0, 1, 1n, 2, 17n].map((count) => countOf(count, 'block')),
    ['0 blocks', '1 block', '1 block', '2 blocks', '17 blocks'],
  );
  assert.deepEqual(
    [countOf(1, 'miss', 'misses'), countOf(2_000, 'miss', 'misses')],
    ['1 miss', '2,000 misses'],
  );
});

test('each group of three digits ends with a comma', () => {
  assert.deepEqual(
    [999, 1_000, 12_345, 1_234_567, 9_007_199_254_740_993n].map((count) => countOf(count, 'credit')),
    ['999 credits', '1,000 credits', '12,345 credits', '1,234,567 credits', '9,007,199,254,740,993 credits'],
  );
});
