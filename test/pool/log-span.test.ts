import assert from 'node:assert/strict';
import { test } from 'node:test';
import { readLogRefusal } from '../../src/pool/errors/log-refusals.ts';
import { LogRefusal } from '../../src/pool/fault.ts';
import { LogSpan } from '../../src/pool/log-span.ts';

const MINUTE_MS = 60_000;

test('the limit is infinite until a node refuses a range, then the number of blocks it named, or half of the range', () => {
  const span = new LogSpan(() => 0);
  assert.equal(span.limit, Number.POSITIVE_INFINITY);
  span.noteRefused(10_000, 2_000, 'at most 2000 blocks');
  assert.equal(span.limit, 2_000);
  assert.equal(span.reason, 'at most 2000 blocks');
  span.noteRefused(2_000, undefined, 'too wide');
  assert.equal(span.limit, 1_000);
});

test('the lowest of simultaneous refusals counts, and one of few blocks without a number is ignored', () => {
  const span = new LogSpan(() => 0);
  span.noteRefused(100, undefined, 'too wide');
  span.noteRefused(10_000, undefined, 'too wide');
  assert.equal(span.limit, 50);
  span.noteRefused(7, undefined, 'another range');
  assert.equal(span.limit, 50);
});

test('the limit doubles after ten minutes, and returns to its old value if the node refuses', () => {
  let now = 0;
  const span = new LogSpan(() => now);
  span.noteRefused(10_000, 1_000, 'too wide');
  span.noteServed(1_000);
  now += 10 * MINUTE_MS;
  assert.equal(span.limit, 2_000);
  span.noteServed(2_000);
  assert.equal(span.limit, 2_000);
  now += 10 * MINUTE_MS;
  assert.equal(span.limit, 4_000);
  span.noteRefused(4_000, undefined, 'too wide');
  assert.equal(span.limit, 2_000);
  now += 10 * MINUTE_MS - 1;
  assert.equal(span.limit, 2_000);
});

/** Messages of nodes and vendors: their subject, and the blocks that each allows of 100,000. */
const WORDS: readonly (readonly [string, 'range' | 'size', number?])[] = [
  ['exceed maximum block range 1000', 'range', 1_000],
  ['eth_getLogs is limited to a 10,000 range', 'range', 10_000],
  ['eth_getLogs and eth_newFilter are limited to a 10,000 blocks range', 'range', 10_000],
  ['requested too many blocks from 500 to 100499, maximum is set to 2048', 'range', 2_048],
  ['block range is too wide (maximum 1024)', 'range', 1_024],
  ['Under the Free tier plan, you can make eth_getLogs requests with up to a 10 block range.', 'range', 10],
  ['please limit the query to at most 1000 blocks', 'range', 1_000],
  ['Requested range exceeds maximum RPC range limit', 'range'],
  ['query exceeds max block range 50000', 'range', 50_000],
  ['query returned more than 10000 results. Try with this block range [0x1, 0x2].', 'size'],
  ['logs matched by query exceeds limit of 10000', 'size'],
  ['query exceeds max results 20000, retry with the range 17000000-17000100', 'size'],
  [
    'Log response size exceeded. You can make eth_getLogs requests with up to a 2K block range and no limit on the response size',
    'size',
  ],
];
for (const [words, of, allowed] of WORDS) {
  test(`readLogRefusal reads: ${words.slice(0, 70)}`, () => {
    const refusal = readLogRefusal(words);
    assert.ok(refusal instanceof LogRefusal);
    assert.equal(refusal.of, of);
    if (of === 'range') assert.equal(refusal.allowedBelow(100_000), allowed);
  });
}

test('readLogRefusal reports a range beyond the head as missing, and ignores other errors', () => {
  assert.equal(readLogRefusal('block range extends beyond current head block')?.kind, 'missing');
  assert.equal(readLogRefusal('invalid block range params')?.kind, 'missing');
  for (const words of [
    'header not found',
    'internal error',
    'pending logs are not supported',
    'exceed max topics',
  ]) {
    assert.equal(readLogRefusal(words), undefined);
  }
});
