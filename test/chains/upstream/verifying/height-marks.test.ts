import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { HeightMarks } from '../../../../src/chains/upstream/verifying/height-marks.ts';

const WHY = 'other rules';
const HEAD = 20_000_000n;

/** Searches heights until none is unknown. @returns number of blocks that it took */
function search(marks: HeightMarks, isGood: (number: bigint) => boolean): number {
  for (let count = 0; ; count++) {
    const [next] = marks.listUnknown();
    if (next === undefined) return count;
    assert.ok(next.at >= 1n && next.at < next.below, `${next.at} below ${next.below}`);
    assert.ok(count < 1_000, 'it comes to an end');
    marks.set(next.at, isGood(next.at) ? undefined : WHY);
  }
}

describe('marks of heights', () => {
  it('find the first block of a fork, and the last block before newer known rules', () => {
    for (const fork of [2n, 3n, 1_000n, 12_345_678n, HEAD - 8n]) {
      for (const isGood of [(number: bigint) => number < fork, (number: bigint) => number >= fork]) {
        const marks = new HeightMarks();
        for (let number = HEAD; number > HEAD - 8n; number--)
          marks.set(number, isGood(number) ? undefined : WHY);
        // Nothing is known about older rules before an answer has failed.
        if (isGood(HEAD)) marks.set(fork - 1n, WHY);
        assert.ok(search(marks, isGood) < 64);
        for (const number of [1n, fork - 1n, fork, fork + 1n, HEAD, HEAD + 1_000n])
          assert.equal(marks.reasonAt(number) === undefined, isGood(number), `${number}, fork ${fork}`);
        assert.equal(marks.from, isGood(HEAD) ? undefined : fork);
        assert.equal(marks.until, isGood(HEAD) ? fork - 1n : undefined);
        assert.deepEqual(marks.listEnds(), [fork - 1n]);
      }
    }
  });

  it('cover a whole range without rules once one of its blocks was checked', () => {
    const height = fc.bigInt(1n, 200n);
    fc.assert(
      fc.property(height, height, fc.array(height, { maxLength: 20 }), (one, other, looks) => {
        const [first, last] = one < other ? [one, other] : [other, one];
        const isGood = (number: bigint): boolean => number < first || number > last;
        const marks = new HeightMarks();
        for (const number of [201n, ...looks, first]) marks.set(number, isGood(number) ? undefined : WHY);
        search(marks, isGood);
        for (let number = 1n; number <= 201n; number++)
          assert.equal(marks.reasonAt(number) === undefined, isGood(number), `${number}`);
      }),
    );
  });

  it('are bounded: the shortest ranges without rules are forgotten', () => {
    const marks = new HeightMarks();
    marks.set(1n, undefined);
    for (let number = 1_000n; number < 1_100n; number++) marks.set(number, WHY);
    for (let number = 10_000n; number < 10_400n; number += 2n) {
      marks.set(number, WHY);
      marks.set(number + 1n, undefined);
    }
    assert.ok(marks.listEnds().length <= 64);
    assert.equal(marks.reasonAt(1_050n), WHY);
  });
});
