import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { AccountAccess } from '../../../../packages/ethereum/codecs/block-access-list.ts';
import { bigIntToFixedBytes, EMPTY_BYTES } from '../../../../packages/ethereum/primitives/bytes.ts';
import { bytesToHex } from '../../../../packages/ethereum/primitives/hex.ts';
import { EMPTY_CODE_HASH, keccak256 } from '../../../../packages/ethereum/primitives/keccak.ts';
import type { AccountChange, AccountState, StateReader } from '../../../../packages/evm/interpreter/host.ts';
import { BlockAccessBuilder } from '../../../../packages/evm/transition/block-access-builder.ts';

const address = (n: number): Uint8Array => bigIntToFixedBytes(BigInt(n), 20);
const slot = (n: number): Uint8Array => bigIntToFixedBytes(BigInt(n), 32);
const CODE = Uint8Array.of(0x60, 0x00);

/** State in which account 1 has 100 wei, nonce 1, and 7 in slot 5. */
const BEFORE: StateReader = {
  getAccount: (of): AccountState | undefined =>
    bytesToHex(of) === bytesToHex(address(1))
      ? { balance: 100n, nonce: 1n, codeHash: EMPTY_CODE_HASH, hasStorage: true }
      : undefined,
  getStorage: (_, of) => (bytesToHex(of) === bytesToHex(slot(5)) ? Uint8Array.of(7) : EMPTY_BYTES),
  getCode: () => CODE,
};

const change = (n: number, fields: Partial<AccountChange> = {}): AccountChange => ({
  address: address(n),
  account: { balance: 100n, nonce: 1n, codeHash: EMPTY_CODE_HASH },
  isStorageCleared: false,
  storage: [],
  ...fields,
});

const EMPTY: AccountAccess = {
  address: address(1),
  storageChanges: [],
  storageReads: [],
  balanceChanges: [],
  nonceChanges: [],
  codeChanges: [],
};

test('touched accounts without changes have empty lists, in the order of addresses', () => {
  const builder = new BlockAccessBuilder();
  builder.touch(address(256));
  builder.noteAccesses([
    { address: address(1), slot: undefined },
    { address: address(1), slot: slot(9) },
  ]);
  builder.touch(address(1));
  assert.deepEqual(builder.build(), [
    { ...EMPTY, storageReads: [slot(9)] },
    { ...EMPTY, address: address(256) },
  ]);
});

test('an unchanged account counts as touched, and an unchanged slot as read', () => {
  const builder = new BlockAccessBuilder();
  const storage = [[slot(5), Uint8Array.of(7)]] as const;
  builder.noteAccesses([{ address: address(1), slot: slot(5) }]);
  builder.addChanges(1, { accounts: [change(1, { storage })], codes: [] }, BEFORE);
  assert.deepEqual(builder.build(), [{ ...EMPTY, storageReads: [slot(5)] }]);
});

test('changes have the index of their transaction, and a slot that changes later is not listed as read', () => {
  const builder = new BlockAccessBuilder();
  const codeHash = keccak256(CODE);
  builder.noteAccesses([{ address: address(1), slot: slot(5) }]);
  builder.addChanges(
    1,
    { accounts: [change(1, { account: { balance: 0n, nonce: 2n, codeHash } })], codes: [[codeHash, CODE]] },
    BEFORE,
  );
  builder.addChanges(3, { accounts: [change(1, { storage: [[slot(5), EMPTY_BYTES]] })], codes: [] }, BEFORE);
  assert.deepEqual(builder.build(), [
    {
      ...EMPTY,
      storageChanges: [{ slot: slot(5), changes: [{ index: 3, value: EMPTY_BYTES }] }],
      balanceChanges: [{ index: 1, value: 0n }],
      nonceChanges: [{ index: 1, value: 2n }],
      codeChanges: [{ index: 1, value: CODE }],
    },
  ]);
});

test('the last of several values with one index is recorded', () => {
  const builder = new BlockAccessBuilder();
  for (const balance of [50n, 60n]) {
    const account = { balance, nonce: 1n, codeHash: EMPTY_CODE_HASH };
    builder.addChanges(2, { accounts: [change(1, { account })], codes: [] }, BEFORE);
  }
  assert.deepEqual(builder.build()[0]?.balanceChanges, [{ index: 2, value: 60n }]);
});

test('a deleted account changes to zero, and an absent one counts as zero before', () => {
  const builder = new BlockAccessBuilder();
  const codeHash = keccak256(CODE);
  const created = change(2, { account: { balance: 0n, nonce: 0n, codeHash } });
  builder.addChanges(1, { accounts: [change(1, { account: undefined }), created], codes: [] }, BEFORE);
  const [gone, made] = builder.build();
  assert.deepEqual(gone?.balanceChanges, [{ index: 1, value: 0n }]);
  assert.deepEqual(gone?.nonceChanges, [{ index: 1, value: 0n }]);
  assert.deepEqual(gone?.codeChanges, []);
  // A code that the state already has is not a code change.
  assert.deepEqual([made?.balanceChanges, made?.codeChanges], [[], [{ index: 1, value: CODE }]]);
});
