import assert from 'node:assert/strict';
import { test } from 'node:test';
import { formatSize, parseSize } from '../../src/util/size.ts';

test('sizes are parsed to bytes: MB is a power of 1000, MiB of 1024', () => {
  assert.equal(parseSize('1 MB'), 1_000_000);
  assert.equal(parseSize('1MB'), 1_000_000);
  assert.equal(parseSize('1 MiB'), 1_048_576);
  assert.equal(parseSize('512kB'), 512_000);
  assert.equal(parseSize('512KB'), 512_000);
  assert.equal(parseSize('512kib'), 524_288);
  assert.equal(parseSize('1.5 GiB'), 1_610_612_736);
  assert.equal(parseSize('100B'), 100);
  assert.equal(parseSize('1.0005kB'), 1_001, 'whole bytes');
});

for (const text of [
  '',
  '5',
  'MB',
  '-1MB',
  '5M',
  '5Mi',
  '5 megabytes',
  '5MBps',
  '1e3MB',
  '5  MB',
  '9'.repeat(20),
]) {
  test(`${JSON.stringify(text)} is refused as a size`, () => {
    assert.throws(() => parseSize(text), RangeError);
  });
}

test('a size is formatted without loss', () => {
  for (const bytes of [0, 1, 999, 1_000, 1_024, 25_000_000, 33_554_432, 2 ** 34, 1_234_567]) {
    assert.equal(parseSize(formatSize(bytes)), bytes);
  }
  assert.equal(formatSize(25_000_000), '25MB');
  assert.equal(formatSize(33_554_432), '32MiB');
});
