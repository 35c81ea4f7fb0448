import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ByteBudget } from '../../src/util/byte-budget.ts';

test('gives out no more than its limit', () => {
  const budget = new ByteBudget(10);
  assert.equal(budget.tryTake(6), true);
  assert.equal(budget.tryTake(5), false);
  assert.equal(budget.used, 6);
  assert.equal(budget.tryTake(4), true);
  budget.giveBack(6);
  assert.equal(budget.used, 4);
  assert.equal(budget.tryTake(6), true);
});
