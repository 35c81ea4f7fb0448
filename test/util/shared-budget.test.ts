import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { SharedBudget } from '../../src/util/shared-budget.ts';

/** Counts how often an owner can take `amount` in a row. */
function takeAll(budget: SharedBudget, owner: string, amount: number): number {
  let times = 0;
  while (budget.tryTake(owner, amount)) times++;
  return times;
}

test('a single owner gets its share, and leaves room for the next', () => {
  const budget = new SharedBudget(1_000, 0.5);
  assert.equal(takeAll(budget, 'a', 1), 500);
  assert.ok(takeAll(budget, 'b', 1) >= 250);
  assert.ok(takeAll(budget, 'c', 1) >= 100);
});

test('a share of 1 bounds no owner', () => {
  const budget = new SharedBudget(10, 1);
  assert.equal(takeAll(budget, 'a', 1), 10);
  assert.equal(budget.tryTake('b', 1), false);
});

test('an owner without a reservation may take any amount that fits', () => {
  const budget = new SharedBudget(10, 0.5);
  assert.equal(budget.tryTake('a', 9), true);
  assert.equal(budget.tryTake('b', 2), false);
  assert.equal(budget.tryTake('b', 1), true);
  assert.equal(budget.used, 10);
});

test('an amount that is given back is free again, and no more can be given back', () => {
  const budget = new SharedBudget(10, 0.5);
  budget.tryTake('a', 4);
  budget.giveBack('a', 4);
  assert.equal(budget.used, 0);
  assert.equal(budget.owners, 0);
  assert.throws(() => budget.giveBack('a', 1), RangeError);
});

test('the bound holds and a new owner finds room, after any operations', () => {
  const step = fc.record({ owner: fc.nat(6), amount: fc.integer({ min: 1, max: 20 }), gives: fc.boolean() });
  fc.assert(
    fc.property(fc.array(step, { maxLength: 300 }), (steps) => {
      const budget = new SharedBudget(1_000, 0.5);
      const reserved = new Map<string, number[]>();
      for (const { owner, amount, gives } of steps) {
        const name = `owner ${owner}`;
        const amounts = reserved.get(name) ?? [];
        reserved.set(name, amounts);
        const provided = gives ? amounts.pop() : undefined;
        if (provided !== undefined) budget.giveBack(name, provided);
        else if (budget.tryTake(name, amount)) amounts.push(amount);
      }
      const sum = [...reserved.values()].flat().reduce((total, amount) => total + amount, 0);
      assert.equal(budget.used, sum);
      assert.ok(budget.used <= 1_000);
      assert.ok(budget.tryTake('newcomer', 20));
    }),
  );
});

test('excessOf returns the least amount that makes room for an owner', () => {
  const amount = fc.integer({ min: 0, max: 800 });
  fc.assert(
    fc.property(amount, amount, fc.constantFrom(0.25, 0.5, 0.75, 1), (own, others, share) => {
      const budget = new SharedBudget(1_000, share);
      budget.take('own', own);
      budget.take('others', others);
      const excess = Math.ceil(budget.excessOf('own'));
      assert.equal(excess === 0, budget.hasRoom('own', 0) || own === 0);
      if (excess > own) return;
      budget.giveBack('own', excess);
      assert.ok(budget.hasRoom('own', 0));
      if (excess < 2) return;
      budget.take('own', 2);
      assert.ok(!budget.hasRoom('own', 0));
    }),
  );
});
