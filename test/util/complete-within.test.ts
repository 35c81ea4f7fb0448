import assert from 'node:assert/strict';
import { test } from 'node:test';
import { completeWithin, TIMED_OUT } from '../../src/util/complete-within.ts';

const NEVER = new Promise<never>(() => {});

test('passes on what comes in time', async () => {
  assert.equal(await completeWithin(Promise.resolve(5), 60_000), 5);
  await assert.rejects(completeWithin(Promise.reject(new Error('no')), 60_000), /^Error: no$/);
});

test('does not wait longer than the limit', async () => {
  assert.equal(await completeWithin(NEVER, 1), TIMED_OUT);
});

test('a late rejection is dropped', async () => {
  let reject: (error: Error) => void = () => {};
  const work = new Promise<never>((_, rejectWork) => {
    reject = rejectWork;
  });
  assert.equal(await completeWithin(work, 1), TIMED_OUT);
  reject(new Error('too late'));
  await new Promise((resolve) => setImmediate(resolve));
});
