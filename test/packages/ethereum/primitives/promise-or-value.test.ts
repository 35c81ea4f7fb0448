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

test('continueWith continues with a value at once, and with a promise when it resolves', async () => {
  assert.equal(
    continueWith(2, (value) => value + 1),
    3,
  );
  const later = continueWith(Promise.resolve(2), (value) => value + 1);
  assert.ok(later instanceof Promise);
  assert.equal(await later, 3);
  assert.equal(await continueWith(2, async (value) => value + 1), 3);
});

test('continueWith throws for a value and rejects for a promise', async () => {
  assert.throws(() => continueWith(2, fail), FAULT);
  await assert.rejects(async () => continueWith(Promise.resolve(2), fail), FAULT);
  await assert.rejects(async () => continueWith(Promise.reject(FAULT), () => assert.fail('went on')), FAULT);
});

test('recoverWith recovers from errors and rejections, and passes other results through', async () => {
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
