import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { type Bucket, fillBucket, takeTokens } from '../../../src/access/limits/bucket.ts';

test('a bucket grants at most its burst plus the tokens accrued since, and loses none of them', () => {
  const steps = fc.array(fc.tuple(fc.nat(2_000), fc.nat(20)), { minLength: 1, maxLength: 60 });
  const rates = fc.record({
    perSecond: fc.double({ min: 0.1, max: 500, noNaN: true }),
    burst: fc.integer({ min: 1, max: 50 }),
  });
  fc.assert(
    fc.property(rates, steps, (rate, list) => {
      let [now, provided, wasShort] = [1_000_000, 0, false];
      let bucket: Bucket | undefined;
      const start = now;
      for (const [passed, wanted] of list) {
        now += passed;
        const taken = takeTokens(fillBucket(bucket, rate, now), rate, wanted);
        assert.ok(taken.tokens <= wanted && Number.isInteger(taken.tokens));
        provided += taken.tokens;
        bucket = taken.bucket;
        const bound = rate.burst + (rate.perSecond * (now - start)) / 1_000;
        assert.ok(provided <= bound + 1e-6, `${provided} of ${bound}`);
        wasShort = taken.tokens < wanted;
        if (wasShort) {
          // A caller that returns after the reported wait gets a token.
          const later = takeTokens(fillBucket(bucket, rate, now + taken.waitMs + 1e-3), rate, 1);
          assert.equal(later.tokens, 1);
        }
      }
    }),
  );
});

test('a clock that is set back neither adds nor removes tokens, and accrual continues from the new time', () => {
  const rate = { perSecond: 10, burst: 10 };
  for (const ahead of [1, 4_000, 3_600_000, 100 * 365 * 86_400_000]) {
    const empty = takeTokens(fillBucket(undefined, rate, 5_000 + ahead), rate, 10).bucket;
    const back = fillBucket(empty, rate, 5_000);
    assert.deepEqual(back, { tokens: 0, at: 5_000 });
    const denied = takeTokens(back, rate, 1);
    assert.deepEqual([denied.tokens, denied.waitMs], [0, 100]);
    assert.equal(fillBucket(denied.bucket, rate, 5_500).tokens, 5);
  }
});

test('a clock that is temporarily ahead grants at most one more burst', () => {
  const rate = { perSecond: 10, burst: 10 };
  let bucket: Bucket | undefined;
  let provided = 0;
  // Calls for a while, with the clock an hour ahead in the middle.
  for (let i = 0; i < 100; i++) {
    const now = 1_000_000 + (i >= 30 && i < 60 ? 3_600_000 : 0) + i;
    const taken = takeTokens(fillBucket(bucket, rate, now), rate, 1);
    bucket = taken.bucket;
    provided += taken.tokens;
  }
  assert.equal(provided, 20);
});
