import assert from 'node:assert/strict';
import { test } from 'node:test';
import { keccak_256 } from '@noble/hashes/sha3.js';
import fc from 'fast-check';
import { keccak256, keccak256InSlices } from '../../../../packages/ethereum/primitives/keccak.ts';
import { countRuns } from '../../../support/count-runs.ts';

const EVERY_LENGTH_TO = 1_000;
/** Bytes absorbed per pass of the module; the lengths below surround one and two passes. */
const PIECE = 481 * 136;
const LONG_LENGTHS: readonly number[] = [
  ...[PIECE - 1, PIECE, PIECE + 1, PIECE + 135, PIECE + 136, 65_535, 65_536, 65_537],
  ...[2 * PIECE - 1, 2 * PIECE, 2 * PIECE + 1, 1_000_000, 3_333_333],
];

function makeInput(length: number): Uint8Array {
  return Uint8Array.from({ length }, (_, i) => (i * 167 + length * 31 + (i >> 8)) & 0xff);
}

test('keccak256 agrees with another implementation on every length up to 1,000', () => {
  for (let length = 0; length <= EVERY_LENGTH_TO; length++) {
    const input = makeInput(length);
    assert.deepEqual(keccak256(input), keccak_256(input), `of ${length} bytes`);
  }
});

test('keccak256 agrees on lengths that need several passes', () => {
  for (const length of LONG_LENGTHS) {
    const input = makeInput(length);
    assert.deepEqual(keccak256(input), keccak_256(input), `of ${length} bytes`);
  }
});

test('keccak256 agrees on any bytes, at any offset in their buffer', () => {
  const property = fc.property(fc.uint8Array({ maxLength: 2_000 }), fc.nat(40), (bytes, from) => {
    const input = bytes.subarray(Math.min(from, bytes.length));
    assert.deepEqual(keccak256(input), keccak_256(input));
  });
  fc.assert(property, { numRuns: countRuns(300) });
});

test('keccak256 changes neither its input nor earlier hashes', () => {
  const [input, other] = [makeInput(200), makeInput(300)];
  const hash = keccak256(input);
  const expected = hash.slice();
  keccak256(other);
  assert.deepEqual(hash, expected);
  assert.deepEqual(input, makeInput(200));
  assert.equal(hash.buffer.byteLength, 32, 'nothing else shares its memory');
});

test('keccak256 accepts a Buffer', () => {
  assert.deepEqual(keccak256(Buffer.from('portcullis')), keccak_256(Buffer.from('portcullis')));
});

test('keccak256InSlices has the same result, also interleaved, with a pause between passes', () => {
  const inputs = [...LONG_LENGTHS, 0, 1, 136].map(makeInput);
  const running = inputs.map((input) => ({
    input,
    work: keccak256InSlices(input),
    pauses: 0,
    hash: undefined as Uint8Array | undefined,
  }));
  for (let left = running; left.length > 0; left = left.filter(({ hash }) => hash === undefined))
    for (const one of left) {
      const step = one.work.next();
      if (step.done === true) one.hash = step.value;
      else one.pauses++;
    }
  for (const { input, hash, pauses } of running) {
    assert.deepEqual(hash, keccak256(input));
    assert.equal(pauses, Math.max(0, Math.ceil(input.length / PIECE) - 1));
  }
});
