/** The core caches hashes of 64 bytes: they are correct when new, when repeated, and after other hashes. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { keccak_256 } from '@noble/hashes/sha3.js';
import { bytesToHex } from '../../../../../packages/ethereum/primitives/hex.ts';
import { MessageHarness } from '../message-harness.ts';
import { createOperandSource } from './operands.ts';

/** More pairs than the cache has places. */
const PAIRS = 5_000;
const SEED = 3n;

/** Hashes two words at an unaligned place in memory. */
function hashInCore(harness: MessageHarness, [key, slot]: Pair): string {
  const { status, output } = harness.run(
    `PUSH32 ${key} PUSH1 7 MSTORE PUSH32 ${slot} PUSH1 39 MSTORE PUSH1 64 PUSH1 7 SHA3 PUSH0 MSTORE PUSH1 32 PUSH0 RETURN`,
  );
  assert.equal(status, 'success');
  return bytesToHex(output);
}

type Pair = readonly [key: bigint, slot: bigint];

function hashOutside([key, slot]: Pair): string {
  const text = key.toString(16).padStart(64, '0') + slot.toString(16).padStart(64, '0');
  return bytesToHex(keccak_256(Buffer.from(text, 'hex')));
}

test('cached hashes of pairs equal those of another implementation', () => {
  const harness = new MessageHarness();
  const source = createOperandSource(SEED);
  // The place of a pair of zeros never looks empty, and neighbours share beginnings of places.
  const pairs: Pair[] = [
    [0n, 0n],
    [0n, 1n],
    [1n, 0n],
    [1n << 255n, 0n],
    [0n, 1n << 255n],
  ];
  // Only the last 64 bits of each word choose the place: these pairs share one.
  for (const shift of [64n, 128n, 192n]) {
    for (let i = 1n; i < 20n; i++) pairs.push([i << shift, 0n], [0n, i << shift]);
  }
  while (pairs.length < PAIRS) pairs.push([source.next(), BigInt(source.nextIndex(8))]);
  const expected = pairs.map(hashOutside);
  for (let round = 0; round < 2; round++) {
    pairs.forEach((pair, i) => {
      assert.equal(hashInCore(harness, pair), expected[i]);
      // The same pair again, and the one before, whose place this one may have taken.
      assert.equal(hashInCore(harness, pair), expected[i]);
      const before = Math.max(0, i - 1);
      assert.equal(hashInCore(harness, pairs[before] as Pair), expected[before]);
    });
  }
});
