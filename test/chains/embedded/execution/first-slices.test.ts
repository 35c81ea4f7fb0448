import assert from 'node:assert/strict';
import { beforeEach, describe, test } from 'node:test';
import {
  type CallKind,
  FirstSlices,
  LONE_CALL_MS,
  LONE_SLICE_MS,
  PROBE_INTERVAL,
  SHORT_SLICE_MS,
  TINY_SLICE_MS,
} from '../../../../src/chains/embedded/execution/first-slices.ts';
import { chooseNext, type Lane } from '../../../../src/chains/embedded/execution/next-task.ts';
import { SLICE_MS } from '../../../../src/chains/embedded/execution/run-slice.ts';

const kind = (shape: string, owner = 'owner'): CallKind => ({ owner, shape });

describe('first slices', () => {
  let now: number;
  let idle: number;
  let slices: FirstSlices;
  beforeEach(() => {
    now = 1_000;
    idle = 1;
    slices = new FirstSlices(
      () => now,
      () => idle,
    );
  });

  test('are short for a shape that was heavy recently', () => {
    assert.equal(slices.choose(kind('a'), 'queue'), SLICE_MS);
    slices.noteMoved(kind('a'), 2);
    assert.equal(slices.choose(kind('a'), 'queue'), SHORT_SLICE_MS);
    slices.noteFinished(kind('a'), 0.1);
    assert.equal(slices.choose(kind('a'), 'queue'), SHORT_SLICE_MS);
    assert.equal(slices.choose(kind('b'), 'queue'), SLICE_MS);
    now += 1_999;
    assert.equal(slices.choose(kind('a'), 'queue'), SHORT_SLICE_MS);
    now += 1;
    assert.equal(slices.choose(kind('a'), 'queue'), SLICE_MS);
  });

  test('are long enough for a shape that a thread ran in a few ms, while no other call waits or runs', () => {
    slices.noteMoved(kind('a'), SLICE_MS);
    slices.noteEnded(kind('a'), LONE_CALL_MS);
    assert.equal(slices.choose(kind('a'), 'thread'), SHORT_SLICE_MS);
    assert.equal(slices.choose(kind('a'), 'empty'), LONE_SLICE_MS);
    slices.noteFinished(kind('a'), LONE_CALL_MS);
    // This call arrived before the last one ended.
    assert.equal(slices.choose(kind('a'), 'empty'), SHORT_SLICE_MS);
    idle++;
    assert.equal(slices.choose(kind('a'), 'empty'), LONE_SLICE_MS);
    slices.noteOwner('owner', now);
    slices.noteOwner('neighbour', now);
    assert.equal(slices.choose(kind('a'), 'empty'), SHORT_SLICE_MS);
    slices.noteEnded(kind('b'), LONE_CALL_MS);
    assert.equal(slices.choose(kind('b'), 'empty'), SLICE_MS);
  });

  test('stay long while calls of the shape continue, but not soon after a long slice was not enough', () => {
    slices.noteMoved(kind('a'), SLICE_MS);
    slices.noteEnded(kind('a'), LONE_CALL_MS);
    for (; now < 10_000; now += 1_000, idle++) {
      assert.equal(slices.choose(kind('a'), 'empty'), LONE_SLICE_MS);
      slices.noteFinished(kind('a'), LONE_CALL_MS);
      assert.equal(slices.isCalmAt(now + 1_999), false);
    }
    slices.noteMoved(kind('a'), LONE_SLICE_MS, LONE_SLICE_MS);
    slices.noteEnded(kind('a'), LONE_CALL_MS);
    assert.equal(slices.choose(kind('a'), 'empty'), SHORT_SLICE_MS);
    now += 1_999;
    slices.noteMoved(kind('a'), SHORT_SLICE_MS, SHORT_SLICE_MS);
    slices.noteEnded(kind('a'), LONE_CALL_MS + 0.1);
    now += 1;
    assert.equal(slices.choose(kind('a'), 'empty'), 'moved');
    slices.noteEnded(kind('a'), LONE_CALL_MS);
    assert.equal(slices.choose(kind('a'), 'empty'), LONE_SLICE_MS);
  });

  test('ignore one heavy call among light ones, but not a second one', () => {
    slices.noteFinished(kind('a'), 0.1);
    slices.noteMoved(kind('a'), 2);
    assert.equal(slices.choose(kind('a'), 'queue'), SLICE_MS);
    slices.noteMoved(kind('a'), 2);
    assert.equal(slices.choose(kind('a'), 'queue'), SHORT_SLICE_MS);
  });

  test('lose at most a fifth of the time to whole slices of heavy calls, whatever the number of shapes', () => {
    let lost = 0;
    for (let i = 0; now < 11_000; i++) {
      now += 0.1;
      if (slices.choose(kind(`shape ${i}`), 'queue') !== SLICE_MS) continue;
      slices.noteMoved(kind(`shape ${i}`), SLICE_MS);
      lost += SLICE_MS;
      now += SLICE_MS;
    }
    assert.ok(lost >= 1_900 && lost <= 2_100, `${lost} ms of 10,000`);
  });

  test('are whole for light shapes however much time was lost, and for unknown shapes after a while', () => {
    slices.noteFinished(kind('light'), 0.1);
    for (let i = 0; i < 10; i++) slices.noteMoved(kind(`shape ${i}`), 2);
    assert.equal(slices.choose(kind('unknown'), 'queue'), SHORT_SLICE_MS);
    assert.equal(slices.choose(kind('light'), 'queue'), SLICE_MS);
    now += 100;
    assert.equal(slices.choose(kind('unknown'), 'queue'), SLICE_MS);
  });

  test('are refused if the call could not move to a thread, except for light shapes', () => {
    slices.noteFinished(kind('light'), 0.1);
    slices.noteMoved(kind('heavy'), 2);
    assert.equal(slices.choose(kind('unknown'), 'none'), 'refused');
    assert.equal(slices.choose(kind('heavy'), 'none'), 'refused');
    assert.equal(slices.choose(kind('light'), 'none'), SLICE_MS);
  });

  /** Records three consecutive heavy calls of a shape. */
  function makeHeavy(shape: string): void {
    for (let i = 0; i < 3; i++) {
      assert.equal(typeof slices.choose(kind(shape), 'thread'), 'number');
      slices.noteMoved(kind(shape), SHORT_SLICE_MS);
    }
  }

  test('are skipped for a shape that was always heavy, except for an occasional short one', () => {
    makeHeavy('a');
    for (let round = 0; round < 3; round++) {
      for (let i = 1; i < PROBE_INTERVAL; i++) assert.equal(slices.choose(kind('a'), 'thread'), 'moved');
      assert.equal(slices.choose(kind('a'), 'thread'), SHORT_SLICE_MS);
      slices.noteMoved(kind('a'), SHORT_SLICE_MS);
    }
    assert.equal(typeof slices.choose(kind('b'), 'thread'), 'number');
  });

  test('are tried again after a light call among the heavy ones', () => {
    makeHeavy('a');
    for (let i = 1; i < PROBE_INTERVAL; i++) slices.choose(kind('a'), 'thread');
    assert.equal(slices.choose(kind('a'), 'thread'), SHORT_SLICE_MS);
    slices.noteFinished(kind('a'), 0.1);
    for (let i = 0; i < 2; i++) {
      assert.equal(slices.choose(kind('a'), 'thread'), SHORT_SLICE_MS);
      slices.noteMoved(kind('a'), SHORT_SLICE_MS);
    }
    assert.equal(slices.choose(kind('a'), 'thread'), 'moved');
  });

  test('are tiny for a heavy shape if the call would have to wait for a thread', () => {
    makeHeavy('a');
    for (let i = 0; i < 2 * PROBE_INTERVAL; i++)
      assert.equal(slices.choose(kind('a'), 'queue'), TINY_SLICE_MS);
    assert.equal(slices.choose(kind('a'), 'thread'), 'moved');
  });

  test('are whole again when no call was heavy for a while', () => {
    makeHeavy('a');
    now += 1_999;
    assert.equal(slices.choose(kind('a'), 'thread'), 'moved');
    now += 1;
    assert.equal(slices.choose(kind('a'), 'thread'), SLICE_MS);
  });

  test('need no choice while no heavy call is on record', () => {
    assert.ok(slices.isCalmAt(now));
    slices.noteMoved(kind('a'), 2);
    assert.ok(!slices.isCalmAt(now + 1_999));
    assert.ok(slices.isCalmAt(now + 2_000));
    // The debt takes three seconds to decay.
    slices.noteMoved(kind('b'), 598);
    assert.ok(!slices.isCalmAt(now + 2_999));
    assert.ok(slices.isCalmAt(now + 3_000));
  });

  /** Makes calls of ever new shapes. @returns milliseconds of first slices that they got until `end` */
  function flood(owner: string, end: number, room: 'thread' | 'queue'): number {
    let used = 0;
    for (let i = 0; now < end; i++) {
      const call = kind(`${owner} ${i}`, owner);
      const beginning = slices.choose(call, room);
      const ms = typeof beginning === 'number' ? beginning : 0;
      // Every other call ends just within a whole slice.
      if (ms === SLICE_MS && i % 2 === 0) slices.noteFinished(call, ms);
      else if (ms > 0) slices.noteMoved(call, ms);
      used += ms;
      now += ms + 0.05;
      slices.noteOwner('neighbour', now);
      slices.noteOwner(owner, now);
    }
    return used;
  }

  test('of one owner take a tenth of the time while others send, whatever the shapes of its calls', () => {
    for (const room of ['thread', 'queue'] as const) {
      slices = new FirstSlices(() => now);
      slices.noteOwner('neighbour', now);
      slices.noteOwner('flood', now);
      const used = flood('flood', now + 10_000, room);
      assert.ok(used >= 900 && used <= 1_050, `${used} ms of 10,000`);
      // Other owners still get slices, and so does the owner for shapes that are known to be cheap.
      assert.equal(typeof slices.choose(kind('unknown', 'neighbour'), room), 'number');
      slices.noteFinished(kind('cheap', 'flood'), 0.1);
      assert.equal(slices.choose(kind('cheap', 'flood'), room), SLICE_MS);
      assert.equal(slices.choose(kind('other', 'flood'), 'none'), 'refused');
    }
  });

  test('of an owner above its share are tiny, then skipped, until its debt has decayed', () => {
    slices.noteOwner('neighbour', now);
    slices.noteOwner('owner', now);
    for (let i = 0; i < 4; i++) slices.noteFinished(kind(`expensive ${i}`), 2);
    assert.equal(slices.choose(kind('expensive 1'), 'thread'), TINY_SLICE_MS);
    assert.equal(slices.choose(kind('unknown'), 'thread'), TINY_SLICE_MS);
    for (let i = 0; i < 4; i++) slices.noteFinished(kind(`expensive ${i}`), 2);
    assert.equal(slices.choose(kind('expensive 1'), 'thread'), 'moved');
    assert.equal(slices.choose(kind('unknown'), 'queue'), 'moved');
    now += 90;
    slices.noteOwner('neighbour', now);
    slices.noteOwner('owner', now);
    assert.equal(slices.choose(kind('expensive 1'), 'thread'), SLICE_MS);
  });

  test('of an owner are charged with other work for its calls', () => {
    slices.noteOwner('greedy', now);
    for (let i = 0; i < 4; i++) slices.noteWork('greedy', SLICE_MS);
    assert.equal(slices.choose(kind('a', 'greedy'), 'thread'), SLICE_MS);
    slices.noteOwner('other', now);
    for (let i = 0; i < 4; i++) slices.noteWork('greedy', SLICE_MS);
    assert.equal(slices.choose(kind('a', 'greedy'), 'thread'), TINY_SLICE_MS);
    assert.equal(slices.choose(kind('a', 'other'), 'thread'), SLICE_MS);
    assert.equal(slices.isCalmAt(now), false);
  });

  test('of the only active owner are unlimited', () => {
    slices.noteOwner('owner', now);
    for (let i = 0; i < 20; i++) slices.noteFinished(kind(`expensive ${i}`), 2);
    assert.equal(slices.choose(kind('expensive 1'), 'thread'), SLICE_MS);
    assert.equal(slices.choose(kind('unknown'), 'thread'), SLICE_MS);
    assert.ok(slices.isCalmAt(now));
  });

  test('depend on a bounded number of the latest shapes', () => {
    slices.noteMoved(kind('first'), 2);
    for (let i = 0; i < 4_096; i++) slices.noteMoved(kind(`shape ${i}`), 0);
    now += 1_000;
    assert.equal(slices.choose(kind('first'), 'queue'), SLICE_MS);
    assert.equal(slices.choose(kind('shape 4095'), 'queue'), SHORT_SLICE_MS);
  });
});

describe('next task', () => {
  /** Parses lanes: `ax by` is a call of owner a for x and one of owner b for y. */
  const tasks = (text: string): Lane[] =>
    text.split(' ').flatMap((lane) => (lane === '' ? [] : { owner: lane[0] as string, lane }));
  const choose = (waiting: string, running: string, limit = 4): number =>
    chooseNext(
      tasks(waiting),
      tasks(running),
      (owner) => tasks(running).filter((task) => task.owner === owner).length < limit,
    );

  test('is the first one of the owner with the fewest running tasks', () => {
    assert.equal(choose('ax', ''), 0);
    assert.equal(choose('ax ax bx', 'ax'), 2);
    assert.equal(choose('ax ay bx cx', 'ax ay bx'), 3);
    assert.equal(choose('ax az bx', 'ay bx by'), 0);
  });

  test('is, among tasks of that owner, the one for the contract with the fewest running tasks', () => {
    assert.equal(choose('ax ay az', 'ax ay'), 2);
    assert.equal(choose('ax ay', 'ax ax ay'), 1);
    assert.equal(choose('ax bx by', 'ax az bx bw'), 2);
  });

  test('is none while all owners are at their limit', () => {
    assert.equal(choose('ax ay az', 'ax ay', 2), -1);
    assert.equal(choose('ax ay bx', 'ax ay bx', 2), 2);
    assert.equal(choose('', '', 2), -1);
  });
});
