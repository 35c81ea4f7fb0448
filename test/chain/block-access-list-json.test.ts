import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import {
  type BlockAccessList,
  decodeBlockAccessList,
  encodeBlockAccessList,
} from '../../packages/ethereum/codecs/block-access-list.ts';
import { trimLeadingZeros } from '../../packages/ethereum/primitives/bytes.ts';
import {
  encodeBlockAccessListJson,
  parseBlockAccessListJson,
} from '../../src/chain/block-access-list-json.ts';
import { accountAccess } from '../../src/methods/result-schemas.ts';

const bytes = (length: number): fc.Arbitrary<Uint8Array> =>
  fc.uint8Array({ minLength: length, maxLength: length });
const word = bytes(32);
const indexed = <T>(value: fc.Arbitrary<T>): fc.Arbitrary<{ index: number; value: T }[]> =>
  fc.array(fc.record({ index: fc.integer({ min: 0, max: 2 ** 32 - 1 }), value }), { maxLength: 3 });
const lists: fc.Arbitrary<BlockAccessList> = fc.array(
  fc.record({
    address: bytes(20),
    storageChanges: fc.array(
      fc.record({
        slot: word,
        changes: indexed(fc.oneof(word, fc.constant(new Uint8Array(32))).map(trimLeadingZeros)),
      }),
      { maxLength: 3 },
    ),
    storageReads: fc.array(word, { maxLength: 3 }),
    balanceChanges: indexed(fc.bigInt({ min: 0n, max: 2n ** 256n - 1n })),
    nonceChanges: indexed(fc.bigInt({ min: 0n, max: 2n ** 64n - 1n })),
    codeChanges: indexed(fc.uint8Array({ maxLength: 40 })),
  }),
  { maxLength: 4 },
);

const toJson = (list: BlockAccessList): unknown => JSON.parse([...encodeBlockAccessListJson(list)].join(''));

test('a list is unchanged after a round trip through JSON and through RLP', () => {
  fc.assert(
    fc.property(lists, (list) => {
      const json = toJson(list);
      for (const account of json as unknown[]) accountAccess.parse(account);
      assert.deepEqual(encodeBlockAccessList(parseBlockAccessListJson(json)), encodeBlockAccessList(list));
      assert.deepEqual(toJson(decodeBlockAccessList(encodeBlockAccessList(list))), json);
    }),
  );
});

test('slots and their values are 32-byte words, all other quantities are minimal', () => {
  const slot = new Uint8Array(32);
  slot[31] = 5;
  const list: BlockAccessList = [
    {
      address: new Uint8Array(20).fill(0xaa),
      storageChanges: [{ slot, changes: [{ index: 0, value: Uint8Array.of(9) }] }],
      storageReads: [new Uint8Array(32)],
      balanceChanges: [{ index: 17, value: 0n }],
      nonceChanges: [{ index: 1, value: 2n }],
      codeChanges: [{ index: 1, value: Uint8Array.of(0x60, 0) }],
    },
  ];
  const zeros = '0'.repeat(63);
  assert.deepEqual(toJson(list), [
    {
      address: `0x${'aa'.repeat(20)}`,
      storageChanges: [{ key: `0x${zeros}5`, changes: [{ index: '0x0', value: `0x${zeros}9` }] }],
      storageReads: [`0x${zeros}0`],
      balanceChanges: [{ index: '0x11', value: '0x0' }],
      nonceChanges: [{ index: '0x1', value: '0x2' }],
      codeChanges: [{ index: '0x1', code: '0x6000' }],
    },
  ]);
});

test('malformed lists throw a RangeError', () => {
  const [account] = toJson([
    {
      address: new Uint8Array(20),
      storageChanges: [],
      storageReads: [],
      balanceChanges: [{ index: 1, value: 1n }],
      nonceChanges: [],
      codeChanges: [],
    },
  ]) as [Record<string, unknown>];
  const broken: readonly unknown[] = [
    {},
    'x',
    [null],
    ['0x'],
    [{ ...account, address: '0x00' }],
    [{ ...account, storageReads: [1] }],
    [{ ...account, storageReads: [`0x${'0'.repeat(65)}`] }],
    [{ ...account, balanceChanges: [{ index: '0x01', value: '0x1' }] }],
    [{ ...account, balanceChanges: [{ index: '0x1', value: 1 }] }],
    [{ ...account, balanceChanges: undefined }],
    [{ ...account, codeChanges: [{ index: '0x1', code: '0x6' }] }],
    [{ ...account, nonceChanges: [{ index: '0x100000000', value: '0x1' }] }],
  ];
  for (const value of broken) {
    assert.throws(() => parseBlockAccessListJson(value), RangeError, JSON.stringify(value));
  }
});
