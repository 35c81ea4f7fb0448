import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { CallRate } from '../../../src/access/limits/call-rate.ts';

test('the calls of the last second are counted, to a tenth of a second', () => {
  const steps = fc.array(
    fc.record({
      // Quarters of a millisecond have no rounding errors.
      passed: fc.oneof(
        fc.nat(40),
        fc.nat(3_000),
        fc.nat(600).map((quarters) => quarters / 4),
      ),
      calls: fc.nat(20),
      isWithdrawn: fc.boolean(),
    }),
    { minLength: 1, maxLength: 80 },
  );
  fc.assert(
    fc.property(fc.nat(1e9), steps, (start, list) => {
      const rate = new CallRate();
      const made: { readonly at: number; readonly calls: number }[] = [];
      let now = start;
      for (const { passed, calls, isWithdrawn } of list) {
        now += passed;
        rate.add(calls, now);
        if (isWithdrawn) rate.withdraw(calls);
        else made.push({ at: now, calls });
        const countSince = (ms: number): number =>
          made.reduce((sum, { at, calls: count }) => (at > now - ms ? sum + count : sum), 0);
        const counted = rate.countLastSecond(now);
        assert.ok(counted >= countSince(900), `${counted} counted, ${countSince(900)} made in 0.9 s`);
        assert.ok(counted <= countSince(1_000), `${counted} counted, ${countSince(1_000)} made in 1 s`);
      }
    }),
  );
});

test('calls end to count without further calls', () => {
  const rate = new CallRate();
  rate.add(7, 50);
  assert.equal(rate.countLastSecond(950), 7);
  assert.equal(rate.countLastSecond(1_050), 0);
});

test('the peak is the rate of the busier of the last two windows', () => {
  const rate = new CallRate();
  rate.add(3, 120);
  assert.equal(rate.peak, 30);
  rate.add(1, 210);
  assert.equal(rate.peak, 30);
  rate.add(1, 310);
  assert.equal(rate.peak, 10);
  rate.add(1, 900);
  assert.equal(rate.peak, 10);
});
