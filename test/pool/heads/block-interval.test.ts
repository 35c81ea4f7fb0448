import assert from 'node:assert/strict';
import { test } from 'node:test';
import { BlockInterval } from '../../../src/pool/heads/block-interval.ts';
import { makeBlock } from '../../support/block-tree.ts';

const block = (number: number, timestamp: number) => ({
  ...makeBlock('a', BigInt(number)),
  timestamp: BigInt(timestamp),
});

test('the block time is unknown until two different heads were observed', () => {
  const pace = new BlockInterval();
  pace.observe(block(1, 100), 0);
  assert.equal(pace.blockTime, undefined);
  pace.observe(block(1, 100), 5_000);
  assert.equal(pace.blockTime, undefined, 'the same head says nothing');
  pace.observe(block(2, 112), 12_000);
  assert.equal(pace.blockTime, 12_000);
});

test('skipped blocks count', () => {
  const pace = new BlockInterval();
  pace.observe(block(1, 100), 0);
  pace.observe(block(5, 108), 8_000);
  assert.equal(pace.blockTime, 2_000);
});

test('timestamps in whole seconds average out', () => {
  const pace = new BlockInterval();
  for (let i = 0; i <= 400; i++) pace.observe(block(i, Math.floor(i / 4)), i * 250);
  const { blockTime = 0 } = pace;
  assert.ok(blockTime >= 0 && blockTime <= 250, `${blockTime}`);
});

test('the block time follows the speed of a node that catches up', () => {
  const pace = new BlockInterval();
  for (let i = 0; i <= 50; i++) pace.observe(block(i, 12 * i), i * 10);
  assert.ok((pace.blockTime ?? Number.NaN) <= 10);
});

test('jumps back, far ahead and in time are ignored', () => {
  const pace = new BlockInterval();
  pace.observe(block(10, 100), 0);
  pace.observe(block(11, 102), 2_000);
  pace.observe({ ...block(0, 104), number: 2n ** 60n }, 4_000);
  pace.observe(block(0, 0), 6_000);
  pace.observe(block(12, 104), 8_000);
  pace.observe(block(13, 90), 9_000);
  const { blockTime = 0 } = pace;
  assert.ok(blockTime >= 500 && blockTime <= 2_000, `${blockTime}`);
});
