import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { MAX_RETRY_AFTER_MS, parseRetryAfter, readBackoff } from '../../../src/pool/transport/retry-after.ts';

const NOW = Date.UTC(2026, 10, 20, 12, 0, 0);

test('parseRetryAfter reads seconds and dates', () => {
  assert.equal(parseRetryAfter('0', NOW), 0);
  assert.equal(parseRetryAfter(' 120 ', NOW), 120_000);
  assert.equal(parseRetryAfter('1.5', NOW), 1_500);
  assert.equal(parseRetryAfter('Fri, 20 Nov 2026 12:00:30 GMT', NOW), 30_000);
  assert.equal(parseRetryAfter('Friday, 20-Nov-26 12:00:30 GMT', NOW), 30_000);
  assert.equal(parseRetryAfter('Fri, 20 Nov 2026 11:00:00 GMT', NOW), 0);
});

for (const text of [
  '',
  '-1',
  '1e9',
  '0x10',
  'soon',
  '1 2',
  '2026-11-20',
  'NaN',
  'Infinity',
  'Fri, nonsense',
]) {
  test(`parseRetryAfter rejects ${JSON.stringify(text)}`, () =>
    assert.equal(parseRetryAfter(text, NOW), undefined));
}

test('retry delays are at most an hour, and never negative', () => {
  assert.equal(parseRetryAfter('999999999999', NOW), MAX_RETRY_AFTER_MS);
  assert.equal(parseRetryAfter('Fri, 20 Nov 2099 12:00:00 GMT', NOW), MAX_RETRY_AFTER_MS);
  fc.assert(
    fc.property(fc.anything(), fc.double(), (other, seconds) => {
      for (const data of [
        other,
        { rate: other },
        { backoff_seconds: seconds },
        { rate: { backoff_seconds: seconds } },
      ]) {
        const wait = readBackoff(data);
        assert.ok(wait === undefined || (wait >= 0 && wait <= MAX_RETRY_AFTER_MS), String(wait));
      }
    }),
  );
});

test('readBackoff reads the forms of Infura', () => {
  assert.equal(
    readBackoff({ rate: { allowed_rps: 1, backoff_seconds: 30, current_rps: 2 }, see: 'x' }),
    30_000,
  );
  assert.equal(readBackoff({ backoff_seconds: 0.5 }), 500);
  for (const data of [
    undefined,
    null,
    'x',
    [],
    { rate: null },
    { backoff_seconds: '30' },
    { backoff_seconds: -1 },
  ]) {
    assert.equal(readBackoff(data), undefined);
  }
});
