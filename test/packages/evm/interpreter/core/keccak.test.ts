import assert from 'node:assert/strict';
import { before, describe, it } from 'node:test';
import { keccak_256 } from '@noble/hashes/sha3.js';
import { createWordModule, WORD_BODIES, type WordModule } from './word-module.ts';

const EVERY_LENGTH_TO = 600;
const LONG_LENGTHS: readonly number[] = [4095, 4096, 13_600, 65_535, 100_000];
const CANARY = 0xa5;

let module: WordModule;

function hash(input: Uint8Array, offset: number): Uint8Array {
  const output = module.scratch + offset;
  const at = output + 40;
  const bytes = new Uint8Array(module.memory.buffer);
  bytes.fill(CANARY, output, at + input.length + 200);
  bytes.set(input, at);
  module.call('keccak256', at, input.length, output);
  assert.deepEqual(bytes.slice(at, at + input.length), input, 'the input stays as it is');
  assert.ok(bytes.subarray(output + 32, at).every((byte) => byte === CANARY));
  return bytes.slice(output, output + 32);
}

function makeInput(length: number): Uint8Array {
  return Uint8Array.from({ length }, (_, i) => (i * 167 + length * 31 + (i >> 8)) & 0xff);
}

before(async () => {
  module = await createWordModule(WORD_BODIES);
});

describe('keccak256', () => {
  it('agrees with another implementation on every length up to 600', () => {
    for (let length = 0; length <= EVERY_LENGTH_TO; length++) {
      const input = makeInput(length);
      assert.deepEqual(hash(input, length % 16), keccak_256(input), `of ${length} bytes`);
    }
  });

  it('agrees with another implementation on long inputs', () => {
    for (const length of LONG_LENGTHS) {
      const input = makeInput(length);
      assert.deepEqual(hash(input, 0), keccak_256(input), `of ${length} bytes`);
    }
  });

  it('reads nothing beyond an input at the very end of memory', () => {
    const bytes = new Uint8Array(module.memory.buffer);
    for (let length = 1; length < 300; length += 7) {
      const input = makeInput(length);
      const at = bytes.length - length;
      bytes.set(input, at);
      module.call('keccak256', at, length, module.scratch);
      assert.deepEqual(bytes.slice(module.scratch, module.scratch + 32), keccak_256(input));
    }
  });
});
