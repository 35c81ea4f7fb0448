import assert from 'node:assert/strict';
import { beforeEach, describe, test } from 'node:test';
import { InlineAdmission } from '../../src/engine/execution/inline-admission.ts';
import { chooseNext } from '../../src/engine/execution/next-task.ts';

describe('inline admission', () => {
  let now: number;
  let admission: InlineAdmission;
  beforeEach(() => {
    now = 1_000;
    admission = new InlineAdmission(() => now);
  });

  test('a shape that was heavy lately goes to a thread at once', () => {
    assert.ok(admission.admits('a', true));
    admission.noteMoved('a', 2);
    assert.equal(admission.admits('a', true), false);
    assert.ok(admission.admits('b', true));
    now += 1_999;
    assert.equal(admission.admits('a', true), false);
    now += 1;
    assert.ok(admission.admits('a', true));
  });

  test('one heavy call among light ones is chance, a second one is not', () => {
    admission.noteFinished('a');
    admission.noteMoved('a', 2);
    assert.ok(admission.admits('a', true));
    admission.noteMoved('a', 2);
    assert.equal(admission.admits('a', true), false);
  });

  test('however many shapes there are, heavy calls take no more than a fifth of the time', () => {
    let lost = 0;
    for (let i = 0; now < 11_000; i++) {
      if (admission.admits(`shape ${i}`, true)) {
        admission.noteMoved(`shape ${i}`, 2);
        lost += 2;
        now += 2;
      } else now += 1;
    }
    assert.ok(lost >= 1_900 && lost <= 2_100, `${lost} ms of 10,000`);
  });

  test('light ones are not held up by that', () => {
    admission.noteFinished('light');
    for (let i = 0; i < 10; i++) admission.noteMoved(`shape ${i}`, 50);
    assert.equal(admission.admits('unknown', true), false);
    assert.ok(admission.admits('light', true));
    now += 60_000;
    assert.ok(admission.admits('unknown', true));
  });

  test('what could not move is not begun, but for what is known as light', () => {
    admission.noteFinished('light');
    assert.equal(admission.admits('unknown', false), false);
    assert.ok(admission.admits('light', false));
  });

  test('it remembers a bounded number of shapes, the latest ones', () => {
    admission.noteFinished('first');
    for (let i = 0; i < 4_096; i++) admission.noteFinished(`shape ${i}`);
    for (let i = 0; i < 10; i++) admission.noteMoved('heavy', 2);
    assert.equal(admission.admits('first', true), false);
    assert.ok(admission.admits('shape 4095', true));
  });
});

describe('next task', () => {
  const lanes = (text: string): { lane: string }[] => [...text].map((lane) => ({ lane }));

  test('is the first one of the lane with the fewest running', () => {
    assert.equal(chooseNext(lanes('a'), [], 4), 0);
    assert.equal(chooseNext(lanes('aab'), ['a'], 4), 2);
    assert.equal(chooseNext(lanes('aabc'), ['a', 'a', 'b'], 4), 3);
    assert.equal(chooseNext(lanes('aab'), ['a', 'b', 'b'], 4), 0);
  });

  test('is none while all of their lanes have as many as they may', () => {
    assert.equal(chooseNext(lanes('aaa'), ['a', 'a'], 2), -1);
    assert.equal(chooseNext(lanes('aab'), ['a', 'a', 'b'], 2), 2);
    assert.equal(chooseNext([], [], 2), -1);
  });
});
