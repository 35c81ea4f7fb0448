import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  continueWith,
  type PromiseOrValue,
  recoverWith,
} from '../../../../packages/ethereum/primitives/promise-or-value.ts';

const FAULT = new Error('fault');
const fail = (): never => {
  throw FAULT;
};

test('a value that is there is gone on with at once, one that is to come when it comes', async () => {
  assert.equal(
    continueWith(2, (value) => value + 1),
    3,
  );
  const later = continueWith(Promise.resolve(2), (value) => value + 1);
  assert.ok(later instanceof Promise);
  assert.equal(await later, 3);
  assert.equal(await continueWith(2, async (value) => value + 1), 3);
});

test('what goes on throws at once or rejects, as the value was there or not', async () => {
  assert.throws(() => continueWith(2, fail), FAULT);
  await assert.rejects(async () => continueWith(Promise.resolve(2), fail), FAULT);
  await assert.rejects(async () => continueWith(Promise.reject(FAULT), () => assert.fail('went on')), FAULT);
});

test('what fails at once or later is recovered from, what does not is left alone', async () => {
  const recover = (error: unknown): string => (error as Error).message;
  const outcomes: readonly (() => PromiseOrValue<string>)[] = [
    (): string => 'value',
    fail,
    async (): Promise<string> => 'value',
    async (): Promise<string> => fail(),
  ];
  assert.deepEqual(await Promise.all(outcomes.map((work) => recoverWith(work, recover))), [
    'value',
    'fault',
    'value',
    'fault',
  ]);
  assert.equal(recoverWith(fail, recover), 'fault');
});
