import assert from 'node:assert/strict';
import { test } from 'node:test';
import { completeWithin, TIMED_OUT } from '../../src/util/complete-within.ts';

const NEVER = new Promise<never>(() => {});

test('completeWithin passes on a result or an error in time', async () => {
  assert.equal(await completeWithin(Promise.resolve(5), 60_000), 5);
  await assert.rejects(completeWithin(Promise.reject(new Error('no')), 60_000), /^Error: no$/);
});

test('completeWithin waits no longer than the limit', async () => {
  assert.equal(await completeWithin(NEVER, 1), TIMED_OUT);
});

test('completeWithin ignores a late rejection', async () => {
  let reject: (error: Error) => void = () => {};
  const work = new Promise<never>((_, rejectWork) => {
    reject = rejectWork;
  });
  assert.equal(await completeWithin(work, 1), TIMED_OUT);
  reject(new Error('too late'));
  await new Promise((resolve) => setImmediate(resolve));
});
