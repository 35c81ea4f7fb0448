import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setImmediate as turn } from 'node:timers/promises';
import { readInTurns, SettleLine } from '../../../src/upstream/transport/answer-turns.ts';
import { TURN_MS, TurnQueue } from '../../../src/util/turn-queue.ts';

/** Settles calls, each of which has consequences of so many milliseconds in promises; how many had them by the end of each turn. */
async function settleCalls(calls: number, ms: number): Promise<readonly number[]> {
  let clock = 0;
  let done = 0;
  const now = (): number => clock;
  const line = new SettleLine(new TurnQueue(now), now);
  const follow = async (settled: Promise<void>): Promise<void> => {
    await settled;
    await Promise.resolve();
    clock += ms;
    done++;
  };
  for (let i = 0; i < calls; i++) {
    const settled = new Promise<void>((resolve) => line.enter(resolve));
    void follow(settled);
  }
  const counts: number[] = [];
  while (done < calls) {
    assert.ok(counts.length <= 2 * calls, 'calls are left over');
    await turn();
    if (counts.at(-1) !== done) counts.push(done);
  }
  return counts;
}

test('what follows from settled calls counts in the time of a turn', async () => {
  assert.deepEqual(await settleCalls(5, 1.5 * TURN_MS), [1, 2, 3, 4, 5]);
  assert.deepEqual(await settleCalls(6, TURN_MS / 2), [2, 4, 6]);
});

test('calls that cost little are settled in one turn', async () => {
  assert.deepEqual(await settleCalls(50, TURN_MS / 200), [50]);
});

test('a callback that throws keeps no other waiting', async () => {
  const now = (): number => 0;
  const line = new SettleLine(new TurnQueue(now), now);
  const settled: number[] = [];
  assert.throws(() =>
    line.enter(() => {
      throw new Error('scripted');
    }),
  );
  line.enter(() => settled.push(1));
  line.enter(() => settled.push(2));
  await turn();
  assert.deepEqual(settled, [1, 2]);
});

test('a short answer is read at once, a long one to its end', async () => {
  function* work(): Generator<undefined, string> {
    for (let i = 0; i < 100; i++) yield;
    return 'read';
  }
  assert.equal(readInTurns(100, work()), 'read');
  assert.equal(await readInTurns(1_000_000, work()), 'read');
});
