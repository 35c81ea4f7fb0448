import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { hexToBytes } from '../../../../packages/ethereum/primitives/hex.ts';
import {
  decodeRevertReason,
  MAX_REASON_BYTES,
} from '../../../../packages/ethereum/primitives/revert-reason.ts';

const word = (value: number | bigint): string => value.toString(16).padStart(64, '0');
const panic = (code: number | bigint): string => `0x4e487b71${word(code)}`;
const error = (bytesHex: string, offset = 32, length = bytesHex.length / 2): string =>
  `0x08c379a0${word(offset)}${word(length)}${bytesHex}`;

test('Error(string) yields its string', () => {
  assert.equal(decodeRevertReason(error(Buffer.from('user error').toString('hex'))), 'user error');
  assert.equal(decodeRevertReason(error('')), '');
  assert.equal(
    decodeRevertReason(error(Buffer.from('é✓').toString('hex')).toUpperCase().replace('0X', '0x')),
    'é✓',
  );
});

test('padding, trailing bytes and an unusual offset are accepted', () => {
  const text = Buffer.from('late').toString('hex');
  assert.equal(decodeRevertReason(`${error(text)}${'00'.repeat(28)}`), 'late');
  assert.equal(decodeRevertReason(`0x08c379a0${word(64)}${word(7)}${word(4)}${text}`), 'late');
});

test('bytes that are not UTF-8 are replaced, not refused', () => {
  assert.equal(decodeRevertReason(error('61ff62')), 'a\ufffdb');
  assert.equal(decodeRevertReason(error('efbbbf61')), '\ufeffa');
});

const MALFORMED = [
  '0x',
  '0x08c379',
  '0x08c379a0',
  `0x08c379a0${word(32)}`,
  error('61', 32, 2),
  error('61', 2 ** 40),
  `0x08c379a0${'f'.repeat(64)}${word(0)}`,
  `0x08c379a0${word(32)}${'f'.repeat(64)}`,
  '0x4e487b71',
  '0x4e487b71ff',
  '0xdeadbeef',
  '0x08c379a0zz',
];
for (const data of MALFORMED) {
  test(`${data.slice(0, 40)} yields no reason`, () => assert.equal(decodeRevertReason(data), undefined));
}

test('Panic(uint256) yields the text of its code', () => {
  assert.equal(decodeRevertReason(panic(0)), 'generic panic');
  assert.equal(decodeRevertReason(panic(1)), 'assert(false)');
  assert.equal(decodeRevertReason(panic(0x11)), 'arithmetic underflow or overflow');
  assert.equal(decodeRevertReason(panic(0x51)), 'uninitialized function');
  assert.equal(decodeRevertReason(panic(0x99)), 'unknown panic code: 0x99');
  assert.equal(decodeRevertReason(panic(2n ** 64n + 1n)), 'unknown panic code: 0x10000000000000001');
});

test('any string survives encoding and decoding, and arbitrary bytes never throw', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'grapheme' }), (text) => {
      assert.equal(decodeRevertReason(error(Buffer.from(text).toString('hex'))), text);
    }),
  );
  fc.assert(
    fc.property(
      fc.constantFrom('0x08c379a0', '0x4e487b71'),
      fc.uint8Array({ maxLength: 200 }),
      (head, tail) => {
        const reason = decodeRevertReason(head + Buffer.from(tail).toString('hex'));
        assert.ok(reason === undefined || typeof reason === 'string');
      },
    ),
  );
});

const cut = (reason: string | undefined, text: string): void => {
  assert.ok(reason?.endsWith('…') === true, reason?.slice(-10));
  const cached = reason.slice(0, -1);
  assert.ok(text.startsWith(cached));
  const bytes = Buffer.byteLength(cached);
  assert.ok(bytes <= MAX_REASON_BYTES && bytes > MAX_REASON_BYTES - 4, `${bytes} bytes`);
};

test('a long reason is cut between two characters, for hex and for bytes', () => {
  for (const character of ['a', 'é', '✓', '💡', '\0']) {
    for (const shift of ['', 'b', 'bb', 'bbb']) {
      const text = shift + character.repeat(MAX_REASON_BYTES + 1);
      const data = error(Buffer.from(text).toString('hex'));
      cut(decodeRevertReason(data), text);
      cut(decodeRevertReason(hexToBytes(data)), text);
    }
  }
  const whole = 'x'.repeat(MAX_REASON_BYTES);
  assert.equal(decodeRevertReason(error(Buffer.from(whole).toString('hex'))), whole);
});

test('bytes yield the same reason as their hex', () => {
  fc.assert(
    fc.property(
      fc.constantFrom('0x08c379a0', '0x4e487b71'),
      fc.nat(99),
      fc.nat(99),
      fc.uint8Array(),
      (head, offset, length, tail) => {
        const data = head + word(offset) + word(length) + Buffer.from(tail).toString('hex');
        assert.equal(decodeRevertReason(hexToBytes(data)), decodeRevertReason(data));
      },
    ),
  );
});
