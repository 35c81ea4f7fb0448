import assert from 'node:assert/strict';
import { test } from 'node:test';
import { LATE, settleWithin } from '../../src/util/settle-within.ts';

const NEVER = new Promise<never>(() => {});

test('passes on what comes in time', async () => {
  assert.equal(await settleWithin(Promise.resolve(5), 60_000), 5);
  await assert.rejects(settleWithin(Promise.reject(new Error('no')), 60_000), /^Error: no$/);
});

test('does not wait longer than the limit', async () => {
  assert.equal(await settleWithin(NEVER, 1), LATE);
});

test('a late rejection is dropped', async () => {
  let reject: (error: Error) => void = () => {};
  const work = new Promise<never>((_, rejectWork) => {
    reject = rejectWork;
  });
  assert.equal(await settleWithin(work, 1), LATE);
  reject(new Error('too late'));
  await new Promise((resolve) => setImmediate(resolve));
});
