import assert from 'node:assert/strict';
import { beforeEach, describe, test } from 'node:test';
import { FirstSlices, PROBE_INTERVAL, SHORT_SLICE_MS } from '../../src/engine/execution/first-slices.ts';
import { chooseNext, type Lane } from '../../src/engine/execution/next-task.ts';
import { SLICE_MS } from '../../src/engine/execution/run-slice.ts';

describe('first slices', () => {
  let now: number;
  let slices: FirstSlices;
  beforeEach(() => {
    now = 1_000;
    slices = new FirstSlices(() => now);
  });

  test('of a shape that was heavy lately are short', () => {
    assert.equal(slices.choose('a', 'queue'), SLICE_MS);
    slices.noteMoved('a', 2);
    assert.equal(slices.choose('a', 'queue'), SHORT_SLICE_MS);
    slices.noteFinished('a');
    assert.equal(slices.choose('a', 'queue'), SHORT_SLICE_MS);
    assert.equal(slices.choose('b', 'queue'), SLICE_MS);
    now += 1_999;
    assert.equal(slices.choose('a', 'queue'), SHORT_SLICE_MS);
    now += 1;
    assert.equal(slices.choose('a', 'queue'), SLICE_MS);
  });

  test('one heavy call among light ones is chance, a second one is not', () => {
    slices.noteFinished('a');
    slices.noteMoved('a', 2);
    assert.equal(slices.choose('a', 'queue'), SLICE_MS);
    slices.noteMoved('a', 2);
    assert.equal(slices.choose('a', 'queue'), SHORT_SLICE_MS);
  });

  test('however many shapes there are, whole slices of heavy calls take no more than a fifth of the time', () => {
    let lost = 0;
    for (let i = 0; now < 11_000; i++) {
      now += 0.1;
      if (slices.choose(`shape ${i}`, 'queue') !== SLICE_MS) continue;
      slices.noteMoved(`shape ${i}`, SLICE_MS);
      lost += SLICE_MS;
      now += SLICE_MS;
    }
    assert.ok(lost >= 1_900 && lost <= 2_100, `${lost} ms of 10,000`);
  });

  test('of light calls are whole however much was lost; those of unknown ones are again after a while', () => {
    slices.noteFinished('light');
    for (let i = 0; i < 10; i++) slices.noteMoved(`shape ${i}`, 2);
    assert.equal(slices.choose('unknown', 'queue'), SHORT_SLICE_MS);
    assert.equal(slices.choose('light', 'queue'), SLICE_MS);
    now += 100;
    assert.equal(slices.choose('unknown', 'queue'), SLICE_MS);
  });

  test('are not begun where the call could not move, but for what is known as light', () => {
    slices.noteFinished('light');
    slices.noteMoved('heavy', 2);
    assert.equal(slices.choose('unknown', 'none'), 'refused');
    assert.equal(slices.choose('heavy', 'none'), 'refused');
    assert.equal(slices.choose('light', 'none'), SLICE_MS);
  });

  /** Three calls of a shape, heavy one after another. */
  function makeHeavy(shape: string): void {
    for (let i = 0; i < 3; i++) {
      assert.equal(typeof slices.choose(shape, 'thread'), 'number');
      slices.noteMoved(shape, SHORT_SLICE_MS);
    }
  }

  test('of a shape that always was heavy there are none, but for a short one now and then', () => {
    makeHeavy('a');
    for (let round = 0; round < 3; round++) {
      for (let i = 1; i < PROBE_INTERVAL; i++) assert.equal(slices.choose('a', 'thread'), 'moved');
      assert.equal(slices.choose('a', 'thread'), SHORT_SLICE_MS);
      slices.noteMoved('a', SHORT_SLICE_MS);
    }
    assert.equal(typeof slices.choose('b', 'thread'), 'number');
  });

  test('are tried again once a light call was found among the heavy ones', () => {
    makeHeavy('a');
    for (let i = 1; i < PROBE_INTERVAL; i++) slices.choose('a', 'thread');
    assert.equal(slices.choose('a', 'thread'), SHORT_SLICE_MS);
    slices.noteFinished('a');
    for (let i = 0; i < 2; i++) {
      assert.equal(slices.choose('a', 'thread'), SHORT_SLICE_MS);
      slices.noteMoved('a', SHORT_SLICE_MS);
    }
    assert.equal(slices.choose('a', 'thread'), 'moved');
  });

  test('are tried where a call would have to wait, however heavy its like was', () => {
    makeHeavy('a');
    for (let i = 0; i < 2 * PROBE_INTERVAL; i++) assert.equal(slices.choose('a', 'queue'), SHORT_SLICE_MS);
    assert.equal(slices.choose('a', 'thread'), 'moved');
  });

  test('are whole again when no call has proved heavy for a while', () => {
    makeHeavy('a');
    now += 1_999;
    assert.equal(slices.choose('a', 'thread'), 'moved');
    now += 1;
    assert.equal(slices.choose('a', 'thread'), SLICE_MS);
  });

  test('need no choice while nothing was heavy, and do for as long as that is remembered', () => {
    assert.ok(slices.isCalmAt(now));
    slices.noteMoved('a', 2);
    assert.ok(!slices.isCalmAt(now + 1_999));
    assert.ok(slices.isCalmAt(now + 2_000));
    // As much was lost as takes three seconds to make good.
    slices.noteMoved('b', 598);
    assert.ok(!slices.isCalmAt(now + 2_999));
    assert.ok(slices.isCalmAt(now + 3_000));
  });

  test('depend on a bounded number of shapes, the latest ones', () => {
    slices.noteMoved('first', 2);
    for (let i = 0; i < 4_096; i++) slices.noteMoved(`shape ${i}`, 0);
    now += 1_000;
    assert.equal(slices.choose('first', 'queue'), SLICE_MS);
    assert.equal(slices.choose('shape 4095', 'queue'), SHORT_SLICE_MS);
  });
});

describe('next task', () => {
  /** `ax by`: anna's for x, bert's for y. */
  const tasks = (text: string): Lane[] =>
    text.split(' ').flatMap((lane) => (lane === '' ? [] : { owner: lane[0] as string, lane }));
  const choose = (waiting: string, running: string, limit = 4): number =>
    chooseNext(tasks(waiting), tasks(running), limit);

  test('is the first one of the caller with the fewest running', () => {
    assert.equal(choose('ax', ''), 0);
    assert.equal(choose('ax ax bx', 'ax'), 2);
    assert.equal(choose('ax ay bx cx', 'ax ay bx'), 3);
    assert.equal(choose('ax az bx', 'ay bx by'), 0);
  });

  test('is, among those, the one for the contract with the fewest', () => {
    assert.equal(choose('ax ay az', 'ax ay'), 2);
    assert.equal(choose('ax ay', 'ax ax ay'), 1);
    assert.equal(choose('ax bx by', 'ax az bx bw'), 2);
  });

  test('is none while all callers have as many as they may', () => {
    assert.equal(choose('ax ay az', 'ax ay', 2), -1);
    assert.equal(choose('ax ay bx', 'ax ay bx', 2), 2);
    assert.equal(choose('', '', 2), -1);
  });
});
