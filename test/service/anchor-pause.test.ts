import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { AnchorFigures } from '../../src/observe/sources.ts';
import { choosePause } from '../../src/service/open-anchors.ts';

const MINUTE_MS = 60_000;

/** Lists the minutes until the next reading of layer 1, after each of these readings. */
function listWaits(readings: readonly (AnchorFigures | undefined)[]): number[] {
  let retryMs = 0.25 * MINUTE_MS;
  return readings.map((figures) => {
    const pause = choosePause(figures, retryMs);
    retryMs = pause.retryMs;
    return pause.waitMs / MINUTE_MS;
  });
}

test('failed readings are retried with backoff, contradicted ones at least every minute', () => {
  const anchored = { state: 'anchored' } as const;
  const failed = { state: 'anchored', reason: 'no proof' } as const;
  const contradicted = { state: 'contradicted', reason: 'no node has the block' } as const;
  assert.deepEqual(listWaits([anchored, failed, failed, anchored, failed]), [10, 0.25, 0.5, 10, 0.25]);
  assert.deepEqual(listWaits(Array.from({ length: 8 }, () => failed)), [0.25, 0.5, 1, 2, 4, 8, 10, 10]);
  assert.deepEqual(listWaits(Array.from({ length: 5 }, () => contradicted)), [0.25, 0.5, 1, 1, 1]);
  const late = [...Array.from({ length: 6 }, () => failed), contradicted, contradicted, failed];
  assert.deepEqual(listWaits(late).slice(6), [1, 1, 1]);
});
