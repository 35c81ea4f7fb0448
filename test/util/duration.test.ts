import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parseDuration } from '../../src/util/duration.ts';

test('durations are parsed to milliseconds', () => {
  assert.equal(parseDuration('250ms'), 250);
  assert.equal(parseDuration('5s'), 5_000);
  assert.equal(parseDuration('1.5m'), 90_000);
  assert.equal(parseDuration('2h'), 7_200_000);
  assert.equal(parseDuration('0s'), 0);
  assert.equal(parseDuration('250 ms'), 250);
  assert.equal(parseDuration('30 sec'), 30_000);
  assert.equal(parseDuration('1 second'), 1_000);
  assert.equal(parseDuration('5 min'), 300_000);
  assert.equal(parseDuration('5 minutes'), 300_000);
  assert.equal(parseDuration('2hours'), 7_200_000);
  assert.equal(parseDuration('90 days'), 7_776_000_000);
});

for (const text of [
  '',
  '5',
  's',
  '-1s',
  '5  s',
  '5M',
  '1 month',
  '1w',
  '1e3s',
  '5S',
  '.5s',
  '5s5s',
  '9'.repeat(20),
]) {
  test(`${JSON.stringify(text)} is refused as a duration`, () => {
    assert.throws(() => parseDuration(text), RangeError);
  });
}
