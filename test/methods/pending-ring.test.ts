import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { NetworkFeed } from '../../src/feed/feed.ts';
import { PendingRing } from '../../src/methods/filters/pending-ring.ts';
import { FakeClock } from '../support/fake-clock.ts';

const START = 1_700_000_000_000;
const HOUR_MS = 3_600_000;

function open(wallTime: { now: number }): { ring: PendingRing; announce: (hash: string) => void } {
  const ring = new PendingRing(HOUR_MS, new FakeClock(), () => wallTime.now);
  let announce: (hashes: readonly string[]) => void = () => {};
  ring.watch({
    watchPending(listener: (hashes: readonly string[]) => void) {
      announce = listener;
      return () => {};
    },
  } as unknown as NetworkFeed);
  return { ring, announce: (hash) => announce([hash]) };
}

test('transactions after a position are read once each', () => {
  const wallTime = { now: START };
  const { ring, announce } = open(wallTime);
  for (const hash of ['a', 'b', 'c']) announce(hash);
  const first = ring.read(START, 2);
  assert.deepEqual(first.hashes, ['a', 'b']);
  const second = ring.read(first.last, 2);
  assert.deepEqual(second.hashes, ['c']);
  assert.deepEqual(ring.read(second.last, 2), { hashes: [], last: second.last });
});

for (const [name, ahead] of [
  ['an hour', HOUR_MS],
  ['a hundred years', 876_000 * HOUR_MS],
] as const) {
  test(`a position of a clock that was ${name} ahead counts as now`, () => {
    const wallTime = { now: START };
    const { ring, announce } = open(wallTime);
    announce('before');
    const { hashes, last } = ring.read(START + ahead, 10);
    assert.deepEqual(hashes, []);
    wallTime.now += 1_000;
    announce('after');
    assert.deepEqual(ring.read(last, 10).hashes, ['after']);
  });
}
