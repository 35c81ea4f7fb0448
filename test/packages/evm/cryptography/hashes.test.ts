import assert from 'node:assert/strict';
import { test } from 'node:test';
import { blake2b } from '@noble/hashes/blake2.js';
import { ripemd160 as nobleRipemd160 } from '@noble/hashes/legacy.js';
import { sha256 as nobleSha256 } from '@noble/hashes/sha2.js';
import fc from 'fast-check';
import { hexToBytes } from '../../../../packages/ethereum/primitives/hex.ts';
import { Blake2bCompression } from '../../../../packages/evm/cryptography/blake2b.ts';
import { PORTABLE_HASHES } from '../../../../packages/evm/cryptography/hashes.ts';
import type { Steps } from '../../../../packages/evm/interpreter/precompiles/steps.ts';
import { NODE_HASHES } from '../../../../src/engine/node-hashes.ts';

const BLOCK_BYTES = 128;
const compression = new Blake2bCompression();

/** Computes BLAKE2b-512 with the compression function alone. */
function hashByBlocks(data: Uint8Array): Uint8Array {
  let state: Uint8Array = hexToBytes(
    '0x48c9bdf267e6096a3ba7ca8485ae67bb2bf894fe72f36e3cf1361d5f3af54fa5d182e6ad7f520e511f6c3e2b8c68059b6bbd41fbabd9831f79217e1319cde05b',
  );
  const blocks = Math.max(1, Math.ceil(data.length / BLOCK_BYTES));
  for (let i = 0; i < blocks; i++) {
    const isFinal = i === blocks - 1;
    const message = new Uint8Array(BLOCK_BYTES);
    message.set(data.subarray(i * BLOCK_BYTES, (i + 1) * BLOCK_BYTES));
    const offset = new Uint8Array(16);
    new DataView(offset.buffer).setUint32(0, isFinal ? data.length : (i + 1) * BLOCK_BYTES, true);
    state = compression.compress({ rounds: 12, state, message, offset, isFinal });
  }
  return state;
}

function runSteps(steps: Steps<Uint8Array>): Uint8Array {
  for (;;) {
    const step = steps.next();
    if (step.done) return step.value;
  }
}

test('hashes agree with another library', () => {
  const data = fc.oneof(fc.uint8Array(), fc.uint8Array({ minLength: 100, maxLength: 400 }));
  const property = fc.property(data, (bytes) => {
    for (const hashes of [NODE_HASHES, PORTABLE_HASHES]) {
      assert.deepEqual(hashes.sha256(bytes), nobleSha256(bytes));
      assert.deepEqual(hashes.ripemd160(bytes), nobleRipemd160(bytes));
      assert.deepEqual(runSteps(hashes.sha256Steps(bytes)), nobleSha256(bytes));
      assert.deepEqual(runSteps(hashes.ripemd160Steps(bytes)), nobleRipemd160(bytes));
    }
    assert.deepEqual(hashByBlocks(bytes), blake2b(bytes));
  });
  fc.assert(property);
});

test('BLAKE2b compression has a different result for each number of rounds from 0 to 39', () => {
  const block = { message: new Uint8Array(128), offset: new Uint8Array(16), isFinal: false };
  const outputs = Array.from({ length: 40 }, (_, rounds) =>
    compression.compress({ ...block, rounds, state: new Uint8Array(64) }),
  );
  assert.equal(new Set(outputs.map((output) => output.join())).size, outputs.length);
});
