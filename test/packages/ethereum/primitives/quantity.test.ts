import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { bigIntToBytes, bytesToBigInt } from '../../../../packages/ethereum/primitives/bytes.ts';
import { bytesToHex, hexToBytes } from '../../../../packages/ethereum/primitives/hex.ts';
import { encodeQuantity, parseQuantity } from '../../../../packages/ethereum/primitives/quantity.ts';

test('quantities survive encoding and decoding', () => {
  fc.assert(
    fc.property(fc.bigInt({ min: 0n, max: 2n ** 256n - 1n }), (value) => {
      assert.equal(parseQuantity(encodeQuantity(value)), value);
      assert.equal(bytesToBigInt(bigIntToBytes(value)), value);
    }),
  );
});

test('bytes survive encoding and decoding at any length and offset', () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 200 }), fc.nat(10), (bytes, offset) => {
      assert.deepEqual(hexToBytes(bytesToHex(bytes)), bytes);
      assert.equal(
        bytesToHex(bytes.subarray(offset)),
        `0x${Buffer.from(bytes.subarray(offset)).toString('hex')}`,
      );
    }),
  );
});

for (const [text, message] of [
  ['1f', 'hex string without 0x prefix'],
  ['0x', 'hex string "0x"'],
  ['0x01', 'hex number with leading zero digits'],
  ['0xzz', 'invalid hex string'],
  ['0x11112222333344445', 'hex number > 64 bits'],
] as const) {
  test(`quantity ${text} is refused: ${message}`, () => {
    assert.throws(() => parseQuantity(text, 64), { message });
  });
}

for (const [text, message] of [
  ['ff', 'hex string without 0x prefix'],
  ['0xf', 'hex string of odd length'],
  ['0xfg', 'invalid hex string'],
] as const) {
  test(`data ${text} is refused: ${message}`, () => {
    assert.throws(() => hexToBytes(text), { message });
  });
}
