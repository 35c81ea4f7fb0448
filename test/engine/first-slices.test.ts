import assert from 'node:assert/strict';
import { beforeEach, describe, test } from 'node:test';
import { FirstSlices, SHORT_SLICE_MS } from '../../src/engine/execution/first-slices.ts';
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
    assert.equal(slices.lengthFor('a', true), SLICE_MS);
    slices.noteMoved('a', 2);
    assert.equal(slices.lengthFor('a', true), SHORT_SLICE_MS);
    slices.noteFinished('a');
    assert.equal(slices.lengthFor('a', true), SHORT_SLICE_MS);
    assert.equal(slices.lengthFor('b', true), SLICE_MS);
    now += 1_999;
    assert.equal(slices.lengthFor('a', true), SHORT_SLICE_MS);
    now += 1;
    assert.equal(slices.lengthFor('a', true), SLICE_MS);
  });

  test('one heavy call among light ones is chance, a second one is not', () => {
    slices.noteFinished('a');
    slices.noteMoved('a', 2);
    assert.equal(slices.lengthFor('a', true), SLICE_MS);
    slices.noteMoved('a', 2);
    assert.equal(slices.lengthFor('a', true), SHORT_SLICE_MS);
  });

  test('however many shapes there are, whole slices of heavy calls take no more than a fifth of the time', () => {
    let lost = 0;
    for (let i = 0; now < 11_000; i++) {
      now += 0.1;
      if (slices.lengthFor(`shape ${i}`, true) !== SLICE_MS) continue;
      slices.noteMoved(`shape ${i}`, SLICE_MS);
      lost += SLICE_MS;
      now += SLICE_MS;
    }
    assert.ok(lost >= 1_900 && lost <= 2_100, `${lost} ms of 10,000`);
  });

  test('of light calls are whole however much was lost; those of unknown ones are again after a while', () => {
    slices.noteFinished('light');
    for (let i = 0; i < 10; i++) slices.noteMoved(`shape ${i}`, 2);
    assert.equal(slices.lengthFor('unknown', true), SHORT_SLICE_MS);
    assert.equal(slices.lengthFor('light', true), SLICE_MS);
    now += 100;
    assert.equal(slices.lengthFor('unknown', true), SLICE_MS);
  });

  test('are not begun where the call could not move, but for what is known as light', () => {
    slices.noteFinished('light');
    slices.noteMoved('heavy', 2);
    assert.equal(slices.lengthFor('unknown', false), 0);
    assert.equal(slices.lengthFor('heavy', false), 0);
    assert.equal(slices.lengthFor('light', false), SLICE_MS);
  });

  test('depend on a bounded number of shapes, the latest ones', () => {
    slices.noteMoved('first', 2);
    for (let i = 0; i < 4_096; i++) slices.noteMoved(`shape ${i}`, 0);
    now += 1_000;
    assert.equal(slices.lengthFor('first', true), SLICE_MS);
    assert.equal(slices.lengthFor('shape 4095', true), SHORT_SLICE_MS);
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
