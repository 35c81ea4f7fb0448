import assert from 'node:assert/strict';
import { test } from 'node:test';
import { QuarantineTimes } from '../../src/pool/quarantine-times.ts';

test('a quarantine lasts a minute, then twice as long each time, up to an hour', () => {
  let now = 0;
  const times = new QuarantineTimes(() => now);
  const node = {};
  assert.equal(times.isActive(node), false);
  for (const minutes of [1, 2, 4, 8, 16, 32, 60, 60]) {
    assert.equal(times.begin(node, 60_000), minutes * 60_000);
    now += minutes * 60_000 - 1;
    assert.equal(times.isActive(node), true);
    now++;
    assert.equal(times.isActive(node), false);
  }
  assert.equal(times.begin({}, 60_000), 60_000);
});

test('the first quarantine has the duration of its reason, and so has the next after an hour without one', () => {
  let now = 0;
  const times = new QuarantineTimes(() => now);
  const node = {};
  assert.equal(times.begin(node, 5_000), 5_000);
  now += 10_000;
  assert.equal(times.begin(node, 5_000), 10_000);
  now += 20_000;
  assert.equal(times.begin(node, 60_000), 60_000, 'a worse reason lasts as long as it would alone');
  now += 60_000 + 3_600_001;
  assert.equal(times.begin(node, 5_000), 5_000);
});
