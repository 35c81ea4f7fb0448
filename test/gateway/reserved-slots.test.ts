import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ReservedSlots } from '../../src/gateway/reserved-slots.ts';
import { FairQueue } from '../../src/util/fair-queue.ts';

function hold(count: number): { readonly slots: FairQueue; readonly reserved: ReservedSlots } {
  const slots = new FairQueue({ running: 10, waiting: 10, waitMs: 1_000 });
  slots.take('a', count);
  return { slots, reserved: new ReservedSlots(slots, 'a', count) };
}

test('a slot that is handed on is released by its item, and each remaining slot is released once', () => {
  const { slots, reserved } = hold(3);
  reserved.handOn();
  reserved.release();
  reserved.release();
  assert.equal(reserved.isEmpty, true);
  assert.equal(slots.running, 1);
});

test('remaining slots are released with the work, whatever its outcome', async () => {
  const fault = new Error('fault');
  const throwFault = (): never => {
    throw fault;
  };
  for (const work of [() => 1, () => Promise.resolve(1)]) {
    const { slots, reserved } = hold(3);
    assert.equal(await reserved.during(work), 1);
    assert.equal(slots.running, 0);
  }
  const atOnce = hold(3);
  assert.throws(() => atOnce.reserved.during(throwFault), fault);
  assert.equal(atOnce.slots.running, 0);
  const later = hold(3);
  const outcome = later.reserved.during(() => Promise.resolve().then(throwFault));
  assert.equal(later.slots.running, 3);
  await assert.rejects(Promise.resolve(outcome), fault);
  assert.equal(later.slots.running, 0);
});

test('releasing slots starts waiting calls', async () => {
  const { slots, reserved } = hold(10);
  const waiting = slots.wait('b', { aborted: false });
  reserved.release();
  assert.equal(await waiting, true);
});

test('reserve takes the missing slots where there is room', () => {
  const { slots, reserved } = hold(3);
  reserved.handOn();
  assert.equal(reserved.reserve(2), true);
  assert.equal(slots.running, 3);
  assert.equal(reserved.reserve(9), true);
  assert.equal(slots.running, 10);
  assert.equal(reserved.reserve(10), false);
  reserved.release();
  assert.equal(slots.running, 1);
});

test('slots that are taken back remain reserved for items not yet started and for calls that need one', async () => {
  const { slots, reserved } = hold(5);
  reserved.handOn(4);
  reserved.takeBack(1, 0);
  assert.equal(slots.running, 5);
  reserved.release();
  assert.equal(slots.running, 3);
  reserved.takeBack(2, 1);
  assert.deepEqual([slots.running, reserved.isEmpty], [2, false]);
  const ended = hold(5);
  await ended.reserved.during(() => ended.reserved.handOn(5));
  assert.equal(ended.slots.running, 5);
  ended.reserved.takeBack(5, 5);
  assert.equal(ended.slots.running, 0);
});
