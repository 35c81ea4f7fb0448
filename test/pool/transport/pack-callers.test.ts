import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { SingleCall } from '../../../src/pool/transport/coalesced-call.ts';
import { packCallers } from '../../../src/pool/transport/pack-callers.ts';

const OPTIONS = { deadline: 0 };
const SETTLE = { resolve: () => {}, reject: () => {} };

const giveCalls = (count: number): readonly SingleCall[] =>
  Array.from({ length: count }, () => new SingleCall({ method: 'm', params: '[]' }, OPTIONS, SETTLE));

const sizes = (counts: readonly number[], most: number): readonly (readonly [number, number])[] =>
  packCallers(counts.map(giveCalls), most).map(({ calls, callers }) => [calls.length, callers]);

test('single calls are packed into requests of at most 16, of similar size', () => {
  assert.deepEqual(sizes(new Array(40).fill(1), 100), [
    [14, 14],
    [13, 13],
    [13, 13],
  ]);
  assert.deepEqual(sizes([1, 1, 1], 1), [
    [1, 1],
    [1, 1],
    [1, 1],
  ]);
  assert.deepEqual(sizes([], 100), []);
});

test('a batch counts as one caller, and stays whole', () => {
  assert.deepEqual(sizes([20, 20, 1, 20, 20], 100), [[81, 5]]);
  assert.deepEqual(sizes([3, 3, 3], 5), [
    [3, 1],
    [3, 1],
    [3, 1],
  ]);
});

test('each call is packed once, in order, within both bounds', () => {
  const cases = fc.integer({ min: 1, max: 40 }).chain((most) =>
    fc.record({
      most: fc.constant(most),
      counts: fc.array(fc.integer({ min: 1, max: most }), { maxLength: 60 }),
    }),
  );
  fc.assert(
    fc.property(cases, ({ most, counts }) => {
      const provided = counts.map(giveCalls);
      const packed = packCallers(provided, most);
      assert.deepEqual(
        packed.flatMap(({ calls }) => calls),
        provided.flat(),
      );
      assert.equal(
        packed.reduce((sum, { callers }) => sum + callers, 0),
        counts.length,
      );
      for (const { calls, callers } of packed) assert.ok(calls.length <= most && callers <= 16);
      for (const own of provided)
        assert.equal(packed.filter(({ calls }) => own.some((call) => calls.includes(call))).length, 1);
    }),
  );
});
