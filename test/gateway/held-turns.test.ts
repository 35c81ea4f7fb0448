import assert from 'node:assert/strict';
import { test } from 'node:test';
import { HeldTurns } from '../../src/gateway/held-turns.ts';
import { FairQueue } from '../../src/util/fair-queue.ts';

function hold(count: number): { readonly turns: FairQueue; readonly held: HeldTurns } {
  const turns = new FairQueue({ running: 10, waiting: 10, waitMs: 1_000 });
  turns.take('a', count);
  return { turns, held: new HeldTurns(turns, 'a', count) };
}

test('what is handed on is its item’s to end, what is left ends once', () => {
  const { turns, held } = hold(3);
  held.handOn();
  held.release();
  held.release();
  assert.equal(held.isEmpty, true);
  assert.equal(turns.running, 1);
});

test('what is left ends with the work, however that ends', async () => {
  const fault = new Error('fault');
  const throwFault = (): never => {
    throw fault;
  };
  for (const work of [() => 1, () => Promise.resolve(1)]) {
    const { turns, held } = hold(3);
    assert.equal(await held.during(work), 1);
    assert.equal(turns.running, 0);
  }
  const atOnce = hold(3);
  assert.throws(() => atOnce.held.during(throwFault), fault);
  assert.equal(atOnce.turns.running, 0);
  const later = hold(3);
  const outcome = later.held.during(() => Promise.resolve().then(throwFault));
  assert.equal(later.turns.running, 3);
  await assert.rejects(Promise.resolve(outcome), fault);
  assert.equal(later.turns.running, 0);
});

test('what it ends lets those in that wait', async () => {
  const { turns, held } = hold(10);
  const waiting = turns.wait('b', { aborted: false });
  held.release();
  assert.equal(await waiting, true);
});

test('what is missing of several turns is taken where there is room', () => {
  const { turns, held } = hold(3);
  held.handOn();
  assert.equal(held.reserve(2), true);
  assert.equal(turns.running, 3);
  assert.equal(held.reserve(9), true);
  assert.equal(turns.running, 10);
  assert.equal(held.reserve(10), false);
  held.release();
  assert.equal(turns.running, 1);
});

test('turns that are taken back are kept for items that have not been begun, and for calls that need one', async () => {
  const { turns, held } = hold(5);
  held.handOn(4);
  held.takeBack(1, 0);
  assert.equal(turns.running, 5);
  held.release();
  assert.equal(turns.running, 3);
  held.takeBack(2, 1);
  assert.deepEqual([turns.running, held.isEmpty], [2, false]);
  const ended = hold(5);
  await ended.held.during(() => ended.held.handOn(5));
  assert.equal(ended.turns.running, 5);
  ended.held.takeBack(5, 5);
  assert.equal(ended.turns.running, 0);
});
