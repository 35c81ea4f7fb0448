import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  type AccountAccess,
  type BlockAccessList,
  decodeBlockAccessList,
  encodeBlockAccessList,
  validateBlockAccessList,
} from '../../../../packages/ethereum/codecs/block-access-list.ts';
import { bigIntToFixedBytes } from '../../../../packages/ethereum/primitives/bytes.ts';
import { bytesToHex } from '../../../../packages/ethereum/primitives/hex.ts';
import { EMPTY_LIST_HASH, keccak256 } from '../../../../packages/ethereum/primitives/keccak.ts';
import { encodeRlp, type RlpInput } from '../../../../packages/ethereum/primitives/rlp.ts';

const address = (n: number): Uint8Array => bigIntToFixedBytes(BigInt(n), 20);
const slot = (n: number): Uint8Array => bigIntToFixedBytes(BigInt(n), 32);
const at = <T>(index: number, value: T) => ({ index, value });

const EMPTY: Omit<AccountAccess, 'address'> = {
  storageChanges: [],
  storageReads: [],
  balanceChanges: [],
  nonceChanges: [],
  codeChanges: [],
};

const LIST: BlockAccessList = [
  {
    address: address(1),
    storageChanges: [
      { slot: slot(0), changes: [at(0, Uint8Array.of(7)), at(2, new Uint8Array(0))] },
      { slot: slot(256), changes: [at(1, Uint8Array.of(1, 0))] },
    ],
    storageReads: [slot(1)],
    balanceChanges: [at(1, 0n), at(3, 10n ** 18n)],
    nonceChanges: [at(1, 1n)],
    codeChanges: [at(2, Uint8Array.of(0xfe))],
  },
  { address: address(2), ...EMPTY },
];

const LIMITS = { gasLimit: 30_000_000n, transactions: 2, codeLimit: 65_536 };

test('slots, values, balances and indices are RLP integers', () => {
  const encoded = encodeBlockAccessList([{ ...EMPTY, address: address(1), storageReads: [slot(0)] }]);
  // List of one account; its read slots are a list of one empty string.
  assert.equal(bytesToHex(encoded), `0xdcdb94${'00'.repeat(19)}01c0c180c0c0c0`);
});

test('a list survives encoding and decoding', () => {
  const encoded = encodeBlockAccessList(LIST);
  assert.deepEqual(decodeBlockAccessList(encoded), LIST);
  assert.deepEqual(encodeBlockAccessList(decodeBlockAccessList(encoded)), encoded);
  validateBlockAccessList(LIST, LIMITS);
});

test('the hash of an empty list equals that of an empty list of uncles', () => {
  assert.deepEqual(keccak256(encodeBlockAccessList([])), EMPTY_LIST_HASH);
});

test('malformed lists are refused', () => {
  const NONE: RlpInput = [];
  const cases: readonly (readonly [RlpInput, RegExp])[] = [
    [Uint8Array.of(1, 2), /block access list is not a list/],
    [[[address(1), NONE, NONE, NONE, NONE]], /account access has 5 fields, want 6/],
    [[[new Uint8Array(19), NONE, NONE, NONE, NONE, NONE]], /account address has 19 bytes/],
    [[[address(1), NONE, [Uint8Array.of(0)], NONE, NONE, NONE]], /storage slot has a leading zero/],
    [[[address(1), NONE, [new Uint8Array(33).fill(1)], NONE, NONE, NONE]], /storage slot is longer than 32/],
    [
      [[address(1), [[1n, [[1n, Uint8Array.of(0, 1)]]]], NONE, NONE, NONE, NONE]],
      /storage value has a leading/,
    ],
    [[[address(1), NONE, NONE, [[2n ** 32n, 1n]], NONE, NONE]], /block access index is longer than 4/],
    [[[address(1), NONE, NONE, NONE, [[1n, 2n ** 64n]], NONE]], /nonce is longer than 8/],
    [[[address(1), NONE, NONE, NONE, NONE, [[1n]]]], /change has 1 fields, want 2/],
  ];
  for (const [item, message] of cases) {
    assert.throws(() => decodeBlockAccessList(encodeRlp(item)), message, String(message));
  }
});

test('unordered, duplicate and too many entries are refused', () => {
  const [first, second] = LIST as [AccountAccess, AccountAccess];
  const withFirst = (change: Partial<AccountAccess>): BlockAccessList => [{ ...first, ...change }, second];
  const cases: readonly (readonly [BlockAccessList, RegExp])[] = [
    [[second, first], /accounts are not ascending/],
    [[first, first], /accounts are not ascending/],
    [withFirst({ storageReads: [slot(2), slot(1)] }), /read slots are not ascending/],
    [withFirst({ storageReads: [slot(256)] }), /changed and read slots together/],
    [withFirst({ storageChanges: [...first.storageChanges].reverse() }), /changed slots are not ascending/],
    [
      withFirst({ storageChanges: [{ slot: slot(0), changes: [] }] }),
      /the list of changes of a slot is empty/,
    ],
    [withFirst({ balanceChanges: [at(2, 1n), at(1, 1n)] }), /changes are not ascending/],
    [withFirst({ nonceChanges: [at(1, 1n), at(1, 2n)] }), /changes are not ascending/],
    [withFirst({ nonceChanges: [at(4, 1n)] }), /index 4 is too high for a block of 2 transactions/],
    [withFirst({ codeChanges: [at(1, new Uint8Array(65_537))] }), /code has 65537 bytes, max 65536/],
  ];
  for (const [list, message] of cases) {
    assert.throws(() => validateBlockAccessList(list, LIMITS), message, String(message));
  }
  // Two accounts and three slots.
  validateBlockAccessList(LIST, { ...LIMITS, gasLimit: 10_000n });
  assert.throws(
    () => validateBlockAccessList(LIST, { ...LIMITS, gasLimit: 9_999n }),
    /block access list has 5 accounts and slots, max 4/,
  );
});
