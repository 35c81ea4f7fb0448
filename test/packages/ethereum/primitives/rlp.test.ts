import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { hexToBytes } from '../../../../packages/ethereum/primitives/hex.ts';
import {
  asInteger,
  decodeRlp,
  encodeRlp,
  type RlpItem,
  readListSpans,
  readRlpSpan,
} from '../../../../packages/ethereum/primitives/rlp.ts';
import { countRuns } from '../../../support/count-runs.ts';

const { tree } = fc.letrec<{ tree: RlpItem; list: RlpItem[] }>((tie) => ({
  tree: fc.oneof({ maxDepth: 6 }, fc.uint8Array({ maxLength: 80 }), tie('list')),
  list: fc.array(tie('tree'), { maxLength: 8 }),
}));

test('any item survives encoding and decoding', () => {
  fc.assert(fc.property(tree, (item) => assert.deepEqual(decodeRlp(encodeRlp(item)), item)));
});

test('arbitrary bytes either decode to an item that encodes to the same bytes, or are refused', () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 64 }), (bytes) => {
      let item: RlpItem;
      try {
        item = decodeRlp(bytes);
      } catch (error) {
        assert.ok(error instanceof RangeError);
        return;
      }
      assert.deepEqual(encodeRlp(item), bytes);
    }),
    { numRuns: countRuns(2000) },
  );
});

test('readListSpans returns the spans of the items of a list', () => {
  fc.assert(
    fc.property(fc.array(tree, { maxLength: 8 }), fc.nat(5), (items, before) => {
      const encoded = encodeRlp(items);
      const padded = new Uint8Array(before + encoded.length + 3);
      padded.set(encoded, before);
      const spans = readListSpans(padded, before, before + encoded.length);
      const found = spans.map(({ at, end }) => decodeRlp(padded.subarray(at, end)));
      assert.deepEqual(found, items);
    }),
  );
  assert.throws(() => readListSpans(Uint8Array.of(0x81, 0xff)), /not a list/);
  assert.throws(() => readListSpans(Uint8Array.of(0xc2, 0x81)), /too short/);
  assert.throws(() => readListSpans(Uint8Array.of(0xc1, 0x82)), /too short/);
});

test('integers survive encoding and decoding, and a leading zero is refused', () => {
  fc.assert(
    fc.property(fc.bigInt({ min: 0n, max: 2n ** 256n - 1n }), (value) => {
      assert.equal(asInteger(decodeRlp(encodeRlp(value)), 'value'), value);
    }),
  );
  assert.throws(() => asInteger(Uint8Array.of(0, 1), 'value'), /leading zero/);
});

for (const [name, hex] of [
  ['a single byte below 0x80 with a prefix', '0x8105'],
  ['the long form for a short string', '0xb801ff'],
  ['a length with a leading zero', '0xb90001ff'],
  ['trailing bytes', '0x0102'],
  ['a truncated string', '0x83ff'],
  ['a child that leaves its list', '0xc283ffff'],
] as const) {
  test(`decodeRlp refuses ${name}`, () => {
    assert.throws(() => decodeRlp(hexToBytes(hex)), RangeError);
  });
}

test('decodeRlp refuses nesting that would exhaust the stack', () => {
  const nested = Uint8Array.from({ length: 50 }, (_, depth) => 0xc0 + 49 - depth);
  assert.throws(() => decodeRlp(nested), /nested too deeply/);
});

test('readRlpSpan returns undefined for an incomplete prefix', () => {
  assert.equal(readRlpSpan(hexToBytes('0xf9'), 0, 1), undefined);
  assert.deepEqual(readRlpSpan(hexToBytes('0xf90100'), 0, 3), { isList: true, start: 3, end: 259 });
});
