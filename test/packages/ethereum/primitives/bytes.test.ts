import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import {
  bigIntToBytes,
  bigIntToFixedBytes,
  bytesToBigInt,
  measureBigInt,
  writeBigInt,
} from '../../../../packages/ethereum/primitives/bytes.ts';
import { countRuns } from '../../../support/count-runs.ts';

/** Integers of up to 300 bytes, and integers around the sizes at which the implementation changes. */
const integer = fc.oneof(
  fc.bigInt(0n, 2n ** 64n),
  fc.bigInt(0n, 2n ** 256n),
  fc.bigInt(0n, 2n ** 2400n),
  fc
    .tuple(
      fc.constantFrom(0, 7, 8, 47, 48, 49, 53, 56, 63, 64, 65, 128, 192, 255, 256, 257),
      fc.constantFrom(0, 1),
    )
    .map(([bits, less]) => 2n ** BigInt(bits) - BigInt(less)),
);

function toHex(value: bigint): string {
  const digits = value === 0n ? '' : value.toString(16);
  return digits.padStart(digits.length + (digits.length % 2), '0');
}

test('the shortest form of an integer has the bytes of its hexadecimal digits', () => {
  const property = fc.property(integer, (value) => {
    const bytes = bigIntToBytes(value);
    assert.equal(Buffer.from(bytes).toString('hex'), toHex(value));
    assert.equal(measureBigInt(value), bytes.length);
    assert.equal(bytesToBigInt(bytes), value);
  });
  fc.assert(property, { numRuns: countRuns(2_000) });
});

test('an integer is written at the given offset without changes to other bytes', () => {
  const property = fc.property(integer, fc.nat(5), (value, at) => {
    const expected = bigIntToBytes(value);
    const out = new Uint8Array(at + expected.length + 3).fill(0xa5);
    assert.equal(writeBigInt(value, out, at), at + expected.length);
    assert.deepEqual(out.subarray(at, at + expected.length), expected);
    assert.ok([...out.subarray(0, at), ...out.subarray(at + expected.length)].every((byte) => byte === 0xa5));
  });
  fc.assert(property);
});

test('an integer is padded with leading zeros to a longer length, and refused for a shorter one', () => {
  const property = fc.property(integer, fc.integer({ min: 0, max: 40 }), (value, zeros) => {
    const { length } = bigIntToBytes(value);
    const fixed = bigIntToFixedBytes(value, length + zeros);
    assert.deepEqual(fixed, Uint8Array.from([...new Uint8Array(zeros), ...bigIntToBytes(value)]));
    if (length > 0) assert.throws(() => bigIntToFixedBytes(value, length - 1), RangeError);
  });
  fc.assert(property);
});

test('the bytes of an integer do not change with the next conversion', () => {
  const first = bigIntToBytes(0x0102030405060708090an);
  bigIntToBytes(2n ** 256n - 1n);
  assert.deepEqual(first, Uint8Array.of(1, 2, 3, 4, 5, 6, 7, 8, 9, 10));
});

test('negative integers are refused', () => {
  for (const refuses of [bigIntToBytes, measureBigInt]) assert.throws(() => refuses(-1n), RangeError);
});
