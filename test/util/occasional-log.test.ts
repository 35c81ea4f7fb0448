import assert from 'node:assert/strict';
import { test } from 'node:test';
import { OccasionalLog } from '../../src/util/occasional-log.ts';

test('the first of a kind is written at once, then one line a minute with their number', () => {
  let now = 0;
  const written: string[] = [];
  const log = new OccasionalLog(
    (about, events) => void written.push(`${about} ${events}`),
    () => now,
  );
  for (const about of ['a', 'a', 'b', 'a']) log.report(about);
  now = 60_000;
  log.report('a');
  log.report('a');
  now = 120_000;
  log.report('b');
  assert.deepEqual(written, ['a 1', 'b 1', 'a 3', 'b 1']);
});
