import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { TokenBucket } from '../../src/util/token-bucket.ts';

test('a bucket starts full and runs dry', () => {
  const bucket = new TokenBucket({ capacity: 2 });
  assert.deepEqual([bucket.tryTake(), bucket.tryTake(), bucket.tryTake()], [true, true, false]);
});

test('taking too much takes nothing', () => {
  const bucket = new TokenBucket({ capacity: 2 });
  assert.equal(bucket.tryTake(3), false);
  assert.equal(bucket.tokens, 2);
});

test('time fills a bucket up to its capacity', () => {
  let now = 0;
  const bucket = new TokenBucket({ capacity: 4, perSecond: 2, now: () => now });
  assert.equal(bucket.tryTake(4), true);
  now = 499;
  assert.equal(bucket.tryTake(), false);
  now = 500;
  assert.equal(bucket.tryTake(), true);
  now = 1_000_000;
  assert.equal(bucket.tokens, 4);
});

test('retries are bounded by the capacity and a tenth of the requests', () => {
  const requests = fc.array(fc.boolean(), { maxLength: 500 });
  fc.assert(
    fc.property(requests, fc.integer({ min: 1, max: 20 }), (wishes, capacity) => {
      const bucket = new TokenBucket({ capacity });
      let retries = 0;
      for (const wishesRetry of wishes) {
        bucket.earn(0.1);
        if (wishesRetry && bucket.tryTake()) retries++;
        assert.ok(bucket.tokens >= 0 && bucket.tokens <= capacity);
      }
      assert.ok(retries <= capacity + wishes.length * 0.1 + 1e-6);
    }),
  );
});

test('invalid sizes are refused', () => {
  assert.throws(() => new TokenBucket({ capacity: 0 }), RangeError);
  assert.throws(() => new TokenBucket({ capacity: 1, perSecond: -1 }), RangeError);
});
