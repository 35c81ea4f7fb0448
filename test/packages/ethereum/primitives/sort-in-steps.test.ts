import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { sortInSteps } from '../../../../packages/ethereum/primitives/sort-in-steps.ts';
import { countRuns } from '../../../support/count-runs.ts';

type Item = { readonly key: number; readonly at: number };
const byKey = (a: Item, b: Item): number => a.key - b.key;

function sort(keys: readonly number[], piece: number): { sorted: Item[]; pauses: number; longest: number } {
  const items = keys.map((key, at) => ({ key, at }));
  let [pauses, longest, comparisons] = [0, 0, 0];
  const steps = sortInSteps(
    items,
    (a, b) => {
      comparisons++;
      return byKey(a, b);
    },
    piece,
  );
  for (let step = steps.next(); ; step = steps.next()) {
    longest = Math.max(longest, comparisons);
    comparisons = 0;
    if (step.done) return { sorted: step.value, pauses, longest };
    pauses++;
  }
}

test('the order is that of a stable sort for any interval between pauses', () => {
  fc.assert(
    fc.property(fc.array(fc.nat(20)), fc.integer({ min: 1, max: 40 }), (keys, piece) => {
      const expected = keys.map((key, at) => ({ key, at })).sort(byKey);
      assert.deepEqual(sort(keys, piece).sorted, expected);
    }),
    { numRuns: countRuns(200) },
  );
});

test('the number of comparisons between two pauses is bounded for any initial order', () => {
  const up = Array.from({ length: 5_000 }, (_, i) => i);
  const mixed = up.map((i) => (i * 7_919) % 5_003);
  for (const keys of [up, [...up].reverse(), mixed]) {
    const { longest, pauses } = sort(keys, 256);
    assert.ok(longest <= 512, `${longest} comparisons`);
    assert.ok(pauses >= 100, `${pauses} pauses`);
  }
});
