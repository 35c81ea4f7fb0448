import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parseDuration } from '../../src/util/duration.ts';

test('durations are parsed to milliseconds', () => {
  assert.equal(parseDuration('250ms'), 250);
  assert.equal(parseDuration('5s'), 5_000);
  assert.equal(parseDuration('1.5m'), 90_000);
  assert.equal(parseDuration('2h'), 7_200_000);
  assert.equal(parseDuration('0s'), 0);
});

for (const text of ['', '5', 's', '-1s', '5 s', '1e3s', '5S', '.5s', '5s5s', '9'.repeat(20)]) {
  test(`${JSON.stringify(text)} is refused as a duration`, () => {
    assert.throws(() => parseDuration(text), RangeError);
  });
}
