import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { OccasionalLog } from '../../src/util/occasional-log.ts';

const MINUTE = 60_000;

test('an owner has a tenth of the lines of a kind per minute, and its next line has the number left out', () => {
  let now = 0;
  const log = new OccasionalLog(30, () => now);
  const admitted = Array.from({ length: 10 }, () => log.admit('kind', 'a'));
  assert.deepEqual(admitted, [0, 0, 0, ...Array(7).fill(undefined)]);
  assert.equal(log.admit('kind', 'b'), 0);
  assert.equal(log.admit('another kind', 'a'), 0);
  now = MINUTE - 1;
  assert.equal(log.admit('kind', 'a'), undefined);
  now = MINUTE;
  assert.deepEqual([log.admit('kind', 'a'), log.admit('kind', 'a'), log.admit('kind', 'b')], [8, 0, 0]);
});

test('the number left out is in the owner’s next line, however much later', () => {
  let now = 0;
  const log = new OccasionalLog(1, () => now);
  log.admit('kind', 'a');
  log.admit('kind', 'a');
  for (const minute of [1, 2, 3]) {
    now = minute * MINUTE;
    assert.equal(log.admit('kind', 'b'), 0);
  }
  now = 4 * MINUTE;
  assert.equal(log.admit('kind', 'a'), 1);
});

test('all owners together have a bounded number of lines, which never count an event twice', () => {
  const event = fc.record({
    kind: fc.integer({ min: 0, max: 2 }),
    owner: fc.integer({ min: 0, max: 40 }),
    pause: fc.constantFrom(0, 0, 0, 1, 1_000, MINUTE),
  });
  fc.assert(
    fc.property(
      fc.integer({ min: 1, max: 50 }),
      fc.array(event, { minLength: 1, maxLength: 400 }),
      (lines, events) => {
        let now = 0;
        const log = new OccasionalLog(lines, () => now);
        const written = new Map<number, number[]>();
        const counted = [0, 0, 0];
        const happened = [0, 0, 0];
        for (const { kind, owner, pause } of events) {
          now += pause;
          happened[kind] = (happened[kind] ?? 0) + 1;
          const leftOut = log.admit(`${kind}`, `${owner}`);
          if (leftOut === undefined) continue;
          counted[kind] = (counted[kind] ?? 0) + 1 + leftOut;
          written.set(kind, [...(written.get(kind) ?? []), now]);
        }
        for (const kind of [0, 1, 2]) assert.ok((counted[kind] ?? 0) <= (happened[kind] ?? 0));
        // Each minute starts at a line, so that a window of one minute covers parts of at most two.
        for (const times of written.values()) {
          for (const from of times) {
            assert.ok(times.filter((at) => at >= from && at < from + MINUTE).length <= 2 * lines);
          }
        }
      },
    ),
  );
});

test('owners and kinds beyond a maximum are counted as one', () => {
  let now = 0;
  const log = new OccasionalLog(100_000, () => now);
  for (let i = 0; i < 1_024; i++) assert.equal(log.admit('kind', `owner ${i}`), 0);
  const others = Array.from({ length: 30_000 }, (_, i) => log.admit('kind', `another ${i}`));
  assert.equal(others.filter((leftOut) => leftOut !== undefined).length, 10_000);
  now = MINUTE;
  assert.equal(log.admit('kind', 'owner 0'), 20_000);

  const kinds = new OccasionalLog(1, () => now);
  const admitted = Array.from({ length: 1_000 }, (_, i) => kinds.admit(`kind ${i}`));
  assert.equal(admitted.filter((leftOut) => leftOut !== undefined).length, 257);
});
