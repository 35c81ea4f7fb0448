import assert from 'node:assert/strict';
import { test } from 'node:test';
import { BlockWindow, WINDOW_BLOCKS } from '../../../src/pool/heads/block-window.ts';
import { hashOf, makeBlock } from '../../support/block-tree.ts';

test('a header adds its hash and its parent hash', () => {
  const window = new BlockWindow();
  const block = makeBlock('a', 5n);
  window.add(block);
  assert.equal(window.hashAt(5n), hashOf('a', 5n));
  assert.equal(window.hashAt(4n), hashOf('a', 4n));
  assert.equal(window.hashAt(3n), undefined);
  assert.equal(window.headerAt(5n), block);
  assert.equal(window.headerAt(4n), undefined);
});

test('the genesis block adds no parent hash', () => {
  const window = new BlockWindow();
  window.add(makeBlock('a', 0n));
  assert.deepEqual(window.numbers(), [0n]);
});

test('a header remains when its own hash is added again, and is dropped when another block replaces it', () => {
  const window = new BlockWindow();
  window.add(makeBlock('a', 5n));
  window.put(5n, hashOf('a', 5n));
  assert.equal(window.headerAt(5n)?.hash, hashOf('a', 5n));
  window.put(5n, hashOf('b', 5n));
  assert.equal(window.headerAt(5n), undefined);
});

test('a full window drops its lowest blocks', () => {
  const window = new BlockWindow();
  for (let number = 1n; number <= 1_000n; number++) window.add(makeBlock('a', number));
  assert.equal(window.numbers().length, WINDOW_BLOCKS);
  assert.equal(window.numbers()[0], 1_000n);
  assert.equal(window.hashAt(1_001n - BigInt(WINDOW_BLOCKS)), hashOf('a', 1_001n - BigInt(WINDOW_BLOCKS)));
  assert.equal(window.hashAt(1_000n - BigInt(WINDOW_BLOCKS)), undefined);
});

test('cutAbove returns the removed hashes, highest first', () => {
  const window = new BlockWindow();
  for (const number of [1n, 2n, 3n]) window.add(makeBlock('a', number));
  assert.equal(window.highestUpTo(9n), 3n);
  assert.deepEqual(window.cutAbove(1n), [hashOf('a', 3n), hashOf('a', 2n)]);
  assert.equal(window.highestUpTo(9n), 1n);
  assert.deepEqual(window.cutAbove(undefined), [hashOf('a', 1n), hashOf('a', 0n)]);
  assert.equal(window.highestUpTo(9n), undefined);
});
