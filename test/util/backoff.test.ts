import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Backoff } from '../../src/util/backoff.ts';

test('the delay doubles up to its bound, and starts again after a success', () => {
  const backoff = new Backoff({ firstMs: 100, maxMs: 1_000, random: () => 0 });
  const next = (): number => backoff.next();
  assert.deepEqual([next(), next(), next(), next(), next(), next()], [50, 100, 200, 400, 500, 500]);
  backoff.reset();
  assert.equal(next(), 50);
});

test('half of each delay is random', () => {
  const backoff = new Backoff({ firstMs: 100, maxMs: 1_000, random: () => 0.5 });
  assert.deepEqual([backoff.next(), backoff.next()], [75, 150]);
});

test('the delay stays within its bound after thousands of failures', () => {
  const backoff = new Backoff({ firstMs: 100, maxMs: 30_000, random: () => 1 });
  for (let i = 0; i < 5_000; i++) assert.ok(backoff.next() <= 30_000);
});
