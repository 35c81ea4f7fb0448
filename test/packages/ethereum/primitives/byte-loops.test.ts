import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import {
  countZeros,
  decodeHex,
  encodeHex,
  isLowerHex,
} from '../../../../packages/ethereum/primitives/byte-loops.ts';
import { countRuns } from '../../../support/count-runs.ts';

const EVERY_LENGTH_TO = 100;
/** Bytes processed per pass of the module; the lengths below surround one and two passes. */
const PIECE = 48 * 1024;
const LENGTHS: readonly number[] = [
  ...Array.from({ length: EVERY_LENGTH_TO }, (_, length) => length),
  ...[PIECE - 1, PIECE, PIECE + 1, 2 * PIECE - 1, 2 * PIECE, 2 * PIECE + 1, 1_000_000],
];
const LOWER = '0123456789abcdef';

function makeBytes(length: number): Uint8Array {
  return Uint8Array.from({ length }, (_, i) => ((i * 167 + length * 31 + (i >> 8)) & 0xff) * (i % 3));
}

function replaceAt(text: string, at: number, character: string): string {
  return text.slice(0, at) + character + text.slice(at + 1);
}

describe('loops over bytes', () => {
  test('encode and decode hex of any length like Buffer', () => {
    for (const length of LENGTHS) {
      const bytes = makeBytes(length);
      const text = Buffer.from(bytes).toString('hex');
      assert.equal(encodeHex(bytes), text, `${length} bytes`);
      for (const digits of [text, text.toUpperCase()]) {
        assert.deepEqual(decodeHex(`0x${digits}`, 2), bytes, `${length} bytes`);
      }
    }
  });

  test('count the zero bytes of inputs of any length', () => {
    for (const length of LENGTHS) {
      const bytes = makeBytes(length);
      // Bytes left in the module's memory by an earlier call must not be counted.
      countZeros(new Uint8Array(length + 40));
      assert.equal(countZeros(bytes), bytes.filter((byte) => byte === 0).length, `of ${length}`);
    }
  });

  test('classify every character in every position', () => {
    for (let code = 0; code < 0x180; code++) {
      const character = String.fromCharCode(code);
      const isDigit = /^[0-9a-fA-F]$/.test(character);
      for (const length of [2, 16, 30, 32, 34, 62, 64, 66]) {
        for (const at of [0, length >> 1, length - 1]) {
          const text = replaceAt('0'.repeat(length), at, character);
          assert.equal(decodeHex(text, 0) !== undefined, isDigit, `${code} at ${at} of ${length}`);
          assert.equal(isLowerHex(text, 0), LOWER.includes(character), `${code} at ${at} of ${length}`);
        }
      }
    }
  });

  test('find a single invalid character in a long text', () => {
    const text = `0x${LOWER.repeat((3 * PIECE) / 16)}`;
    assert.ok(isLowerHex(text, 2));
    for (const at of [2, 2 * PIECE + 1, 2 * PIECE + 2, text.length - 1]) {
      for (const character of ['g', '`', ':', '/', ' ', '\0', '\u0130', '\ud83d']) {
        const wrong = replaceAt(text, at, character);
        assert.ok(!isLowerHex(wrong, 2), `${at}`);
        assert.equal(decodeHex(wrong, 2), undefined, `${at}`);
      }
      assert.ok(!isLowerHex(replaceAt(text, at, 'A'), 2));
    }
  });

  test('classify and decode any text correctly', () => {
    const characters = fc.oneof(
      { weight: 40, arbitrary: fc.constantFrom(...LOWER) },
      fc.string({ minLength: 1, maxLength: 1, unit: 'grapheme' }),
    );
    const text = fc.array(characters, { maxLength: 80 }).map((parts) => parts.join(''));
    fc.assert(
      fc.property(text, (provided) => {
        assert.equal(isLowerHex(provided, 0), /^[0-9a-f]*$/.test(provided));
        if (provided.length % 2 !== 0) return;
        const isHex = /^[0-9a-fA-F]*$/.test(provided);
        assert.deepEqual(
          decodeHex(provided, 0),
          isHex ? new Uint8Array(Buffer.from(provided, 'hex')) : undefined,
        );
      }),
      { numRuns: countRuns(2_000) },
    );
  });

  test('return bytes that share no memory with other results', () => {
    const first = decodeHex('01'.repeat(32), 0);
    decodeHex('02'.repeat(32), 0);
    assert.deepEqual(first, new Uint8Array(32).fill(1));
    assert.equal(first?.buffer.byteLength, 32);
  });
});
