import assert from 'node:assert/strict';
import { test } from 'node:test';
import { formatDay, parseDay } from '../../src/util/utc-day.ts';

test('days are formatted and parsed', () => {
  for (const day of [0, 59, 19_782, 20_787, 47_541]) assert.equal(parseDay(formatDay(day)), day);
  assert.equal(formatDay(20_787), '2026-11-30');
});

test('texts that name no day are refused', () => {
  for (const text of [
    '',
    '2026-02-30',
    '2026-13-01',
    '2026-1-1',
    '2026-11-30T00:00',
    ' 2026-11-30',
    '20261130',
  ])
    assert.equal(parseDay(text), undefined, text);
});
