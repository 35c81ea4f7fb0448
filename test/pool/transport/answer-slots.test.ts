import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setImmediate as turn } from 'node:timers/promises';
import { CompletionQueue, readInSlots } from '../../../src/pool/transport/answer-slots.ts';
import { SLOT_MS, SlotScheduler } from '../../../src/util/slot-scheduler.ts';

/** Completes calls, each followed by `ms` milliseconds of work in promises. @returns how many were done at the end of each turn of the event loop */
async function settleCalls(calls: number, ms: number): Promise<readonly number[]> {
  let clock = 0;
  let done = 0;
  const now = (): number => clock;
  const line = new CompletionQueue(new SlotScheduler(now), now);
  const follow = async (completed: Promise<void>): Promise<void> => {
    await completed;
    await Promise.resolve();
    clock += ms;
    done++;
  };
  for (let i = 0; i < calls; i++) {
    const completed = new Promise<void>((resolve) => line.enter(resolve));
    void follow(completed);
  }
  const counts: number[] = [];
  while (done < calls) {
    assert.ok(counts.length <= 2 * calls, 'calls are left over');
    await turn();
    if (counts.at(-1) !== done) counts.push(done);
  }
  return counts;
}

test('work that follows completed calls counts towards the time of a turn of the event loop', async () => {
  assert.deepEqual(await settleCalls(5, 1.5 * SLOT_MS), [1, 2, 3, 4, 5]);
  assert.deepEqual(await settleCalls(6, SLOT_MS / 2), [2, 4, 6]);
});

test('cheap calls are completed in one turn of the event loop', async () => {
  assert.deepEqual(await settleCalls(50, SLOT_MS / 200), [50]);
});

test('a callback that throws does not delay the others', async () => {
  const now = (): number => 0;
  const line = new CompletionQueue(new SlotScheduler(now), now);
  const completed: number[] = [];
  assert.throws(() =>
    line.enter(() => {
      throw new Error('scripted');
    }),
  );
  line.enter(() => completed.push(1));
  line.enter(() => completed.push(2));
  await turn();
  assert.deepEqual(completed, [1, 2]);
});

test('a short answer is read synchronously, a long one asynchronously', async () => {
  function* work(): Generator<undefined, string> {
    for (let i = 0; i < 100; i++) yield;
    return 'read';
  }
  assert.equal(readInSlots(100, work()), 'read');
  assert.equal(await readInSlots(1_000_000, work()), 'read');
});
