import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { Ewma } from '../../src/util/ewma.ts';

test('an average without samples is the default value', () => {
  const average = new Ewma(1_000, () => 0);
  assert.equal(average.read(7), 7);
  assert.equal(average.weight, 0);
});

test('simultaneous samples have equal weights', () => {
  const average = new Ewma(1_000, () => 0);
  for (const sample of [10, 20, 60]) average.record(sample);
  assert.equal(average.read(0), 30);
  assert.equal(average.weight, 3);
});

test('the weight of a sample halves after a half-life', () => {
  let now = 0;
  const average = new Ewma(1_000, () => now);
  average.record(10);
  now = 1_000;
  average.record(40);
  assert.equal(average.read(0), (10 * 0.5 + 40) / 1.5);
  assert.equal(average.weight, 1.5);
});

test('very old samples are forgotten', () => {
  let now = 0;
  const average = new Ewma(1_000, () => now);
  average.record(10);
  now = 50_000;
  assert.ok(Math.abs(average.read(0) - 10) < 1e-9);
  now = 2_000_000;
  assert.equal(average.read(5), 5);
  average.record(3);
  assert.equal(average.read(5), 3);
});

test('the average lies between the samples', () => {
  const samples = fc.array(fc.tuple(fc.nat(5_000), fc.double({ min: 0, max: 1e6, noNaN: true })), {
    minLength: 1,
  });
  fc.assert(
    fc.property(samples, (steps) => {
      let now = 0;
      const average = new Ewma(1_000, () => now);
      for (const [pause, sample] of steps) {
        now += pause;
        average.record(sample);
      }
      const values = steps.map(([, sample]) => sample);
      const slack = 1e-6 * Math.max(...values);
      const read = average.read(Number.NaN);
      assert.ok(read >= Math.min(...values) - slack && read <= Math.max(...values) + slack);
    }),
  );
});

test('a half-life of zero is refused', () => {
  assert.throws(() => new Ewma(0), RangeError);
});

test('an average that is read often decays like one that is read once', () => {
  let now = 0;
  const often = new Ewma(10_000, () => now);
  const once = new Ewma(10_000, () => now);
  for (const average of [often, once]) average.record(10);
  for (; now < 10_000; now += 0.25) often.read(0);
  often.record(40);
  once.record(40);
  assert.ok(Math.abs(often.read(0) - once.read(0)) < 1e-3 * once.read(0));
});
