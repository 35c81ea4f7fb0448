import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { LatencyWindow } from '../../src/util/latency-window.ts';

/** Ratio of neighbouring buckets, with a margin for rounding at their edges. */
const PRECISION = 2 ** (1 / 8) * (1 + 1e-9);

function findPercentile(samples: readonly number[], share: number): number {
  const sorted = samples.toSorted((a, b) => a - b);
  return sorted[Math.max(1, Math.ceil(share * sorted.length)) - 1] as number;
}

test('a window without samples has no percentile', () => {
  const window = new LatencyWindow(1_000, () => 0);
  assert.equal(window.percentile(0.5), undefined);
  assert.equal(window.count, 0);
});

test('percentiles equal those of the samples, rounded up by less than a bucket', () => {
  const latency = fc.double({ min: 0.06, max: 100_000, noNaN: true });
  const samples = fc.array(latency, { minLength: 1, maxLength: 300 });
  fc.assert(
    fc.property(samples, fc.double({ min: 0, max: 1, noNaN: true }), (values, share) => {
      const window = new LatencyWindow(1_000, () => 0);
      for (const value of values) window.record(value);
      const exact = findPercentile(values, share);
      const reported = window.percentile(share) as number;
      assert.ok(reported >= exact / (1 + 1e-9) && reported <= exact * PRECISION, `${reported} for ${exact}`);
    }),
  );
});

test('samples older than the window are forgotten, and none of its last three quarters', () => {
  const steps = fc.array(fc.tuple(fc.nat(900), fc.constantFrom(1, 10, 100)), {
    minLength: 1,
    maxLength: 100,
  });
  fc.assert(
    fc.property(steps, (pauses) => {
      let now = 0;
      const window = new LatencyWindow(1_000, () => now);
      const times: number[] = [];
      for (const [pause, latency] of pauses) {
        now += pause;
        window.record(latency);
        times.push(now);
        const within = (ms: number): number => times.filter((time) => now - time < ms).length;
        assert.ok(window.count >= within(750), 'forgot too much');
        assert.ok(window.count <= within(1_000), 'forgot too little');
      }
    }),
  );
});

test('a long pause empties the window', () => {
  let now = 0;
  const window = new LatencyWindow(1_000, () => now);
  window.record(5);
  now = 1e9;
  assert.equal(window.count, 0);
  window.record(80);
  assert.ok((window.percentile(0.01) as number) >= 80);
});

test('any number is accepted as a sample', () => {
  const window = new LatencyWindow(1_000, () => 0);
  for (const sample of [0, -1, Number.NaN, 1e12, Number.POSITIVE_INFINITY]) window.record(sample);
  assert.equal(window.count, 5);
  assert.ok((window.percentile(1) as number) > 100_000);
  assert.ok((window.percentile(0) as number) <= 0.05);
});
