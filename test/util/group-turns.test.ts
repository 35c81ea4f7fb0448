import assert from 'node:assert/strict';
import { test } from 'node:test';
import { FairQueue } from '../../src/util/fair-queue.ts';
import { complete, FakeClock } from '../support/fake-clock.ts';

const HERE = { aborted: false };

/** A queue of eight slots, of which one owner may have as many as it leaves free. */
function createQueue(): {
  queue: FairQueue;
  clock: FakeClock;
  takeAll: (owner: string, slots: number) => void;
} {
  const clock = new FakeClock();
  const queue = new FairQueue({ running: 8, ownerShare: 0.5, waiting: 8, waitMs: 1_000 }, () => clock.now());
  const takeAll = (owner: string, slots: number): void => {
    for (let turn = 0; turn < slots; turn++) queue.take(owner);
  };
  return { queue, clock, takeAll };
}

/** Result of a promise so far; undefined while it is pending. */
async function read(decided: false | Promise<boolean>): Promise<boolean | undefined> {
  return Promise.race([decided, complete().then(() => undefined)]);
}

test('a group gets its slots once all of them are free, and single entries do not wait for it', async () => {
  const { queue, takeAll } = createQueue();
  takeAll('a', 4);
  const group = queue.waitForGroup('a', 4, 1_000, HERE);
  const single = queue.wait('a', HERE);
  queue.leave('a');
  assert.equal(await single, true);
  queue.leave('a');
  assert.equal(await read(group), undefined);
  queue.leave('a');
  assert.equal(await group, true);
  assert.equal(queue.running, 6);
  queue.leave('a', 4);
  takeAll('a', 4);
  assert.equal(queue.hasRoom('a'), false);
});

test('a group that is too large even for an idle owner is refused at once', () => {
  const { queue, takeAll } = createQueue();
  takeAll('b', 4);
  assert.equal(queue.waitForGroup('a', 5, 1_000, HERE), false);
  takeAll('a', 2);
  const group = queue.waitForGroup('a', 3, 1_000, HERE);
  assert.notEqual(group, false);
  queue.leave('a');
});

test('a group without time left, or without a waiter, gets no slots', async (t) => {
  t.mock.timers.enable({ apis: ['setInterval'] });
  const { queue, clock, takeAll } = createQueue();
  takeAll('a', 4);
  const gone = { aborted: false };
  const groups = [queue.waitForGroup('a', 2, 1_000, gone), queue.waitForGroup('a', 2, 250, HERE)];
  gone.aborted = true;
  clock.advanceNow(300);
  t.mock.timers.tick(200);
  assert.deepEqual(await Promise.all(groups), [false, false]);
  assert.equal(queue.running, 4);
});
