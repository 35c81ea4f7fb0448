/** What is kept of proven state: by roots and hashes, within bounds. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { bytesToHex } from '../../src/primitives/hex.ts';
import { EMPTY_CODE_HASH, EMPTY_TRIE_ROOT, keccak256 } from '../../src/primitives/keccak.ts';
import { Codes, type CodeTable } from '../../src/remote/codes.ts';
import { HotKeys } from '../../src/remote/hot-keys.ts';
import { LmdbCodes } from '../../src/remote/lmdb-codes.ts';
import { ProvenStates } from '../../src/remote/proven-states.ts';
import { RootTables } from '../../src/remote/root-tables.ts';
import { makeTemporaryFolder } from '../support/temporary-folder.ts';

const codeOf = (length: number, byte: number): [string, Uint8Array] => {
  const code = new Uint8Array(length).fill(byte);
  return [bytesToHex(keccak256(code)), code];
};

test('tables of roots never have more than their bound, and what they have is what was put in', () => {
  const keys = fc.constantFrom('a', 'b', 'c', 'd', 'e');
  const writes = fc.array(fc.tuple(keys, keys, fc.integer()), { maxLength: 60 });
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 8 }), writes, (bound, list) => {
      const tables = new RootTables<number>(bound * 1_000, 100);
      const last = new Map<string, number>();
      for (const [root, key, value] of list) {
        tables.set(root, key, value);
        last.set(root + key, value);
        assert.ok(tables.bytes <= bound * 1_000);
        const found = tables.get(root, key);
        assert.ok(found === value || found === undefined);
      }
      for (const [name, value] of last) {
        const found = tables.get(name[0] as string, name[1] as string);
        assert.ok(found === undefined || found === value);
      }
    }),
  );
});

describe('proven states', () => {
  const leaf = (storageRoot: Uint8Array) => ({
    nonce: 1n,
    balance: 2n,
    codeHash: EMPTY_CODE_HASH,
    storageRoot,
  });

  test('slots hold at every block at which the account has the same storage root', () => {
    const states = new ProvenStates(1 << 20);
    const root = new Uint8Array(32).fill(7);
    const first = states.noteAccount('block 1', 'account', leaf(root));
    assert.ok(first?.account.hasStorage);
    states.noteSlot(first.storageRoot, 'slot', Uint8Array.of(5));
    const second = states.noteAccount('block 2', 'account', leaf(root));
    assert.deepEqual(states.findSlot(second?.storageRoot ?? '', 'slot'), Uint8Array.of(5));
    const third = states.noteAccount('block 3', 'account', leaf(new Uint8Array(32).fill(8)));
    assert.equal(states.findSlot(third?.storageRoot ?? '', 'slot'), undefined);
    assert.deepEqual(states.latestOf('account')?.roots, [third?.storageRoot, first.storageRoot]);
    assert.equal(states.findAccount('block 4', 'account'), undefined);
  });

  test('an account that is not there is known as that', () => {
    const states = new ProvenStates(1 << 20);
    assert.equal(states.noteAccount('block', 'account', null), null);
    assert.equal(states.findAccount('block', 'account'), null);
    assert.equal(states.noteAccount('block', 'empty', leaf(EMPTY_TRIE_ROOT))?.account.hasStorage, false);
  });

  test('they take no more than they may', () => {
    const bytes = 200_000;
    const states = new ProvenStates(bytes);
    for (let i = 0; i < 5_000; i++) {
      states.noteAccount(`block ${i % 50}`, `account ${i}`, leaf(new Uint8Array(32).fill(i % 250)));
      states.noteSlot(`root ${i % 50}`, `slot ${i}`, Uint8Array.of(1));
      assert.ok(states.bytes <= bytes);
    }
    assert.ok(states.bytes > bytes / 4);
  });
});

describe('codes', () => {
  test('what a table has under a wrong hash is not taken', () => {
    const [hash, code] = codeOf(10, 1);
    const table: CodeTable = { read: () => code, write: () => {} };
    const codes = new Codes(1 << 20, table, (error) => assert.fail(String(error)));
    assert.deepEqual(codes.find(hash), code);
    assert.equal(codes.find(bytesToHex(new Uint8Array(32))), undefined);
    assert.deepEqual(codes.find(bytesToHex(EMPTY_CODE_HASH)), new Uint8Array(0));
  });

  test('a table that fails is reported, and codes are kept in memory', () => {
    const faults: unknown[] = [];
    const fail = (): never => {
      throw new Error('no space left on device');
    };
    const codes = new Codes(1 << 20, { read: fail, write: fail }, (error) => faults.push(error));
    const [hash, code] = codeOf(10, 1);
    assert.equal(codes.find(hash), undefined);
    codes.add(new Map([[hash, code]]));
    assert.deepEqual(codes.find(hash), code);
    assert.equal(faults.length, 2);
  });

  test('they outlive the process, and the file its bound', async () => {
    const folder = makeTemporaryFolder();
    try {
      const [first, second, third] = [codeOf(1_000, 1), codeOf(1_000, 2), codeOf(1_000, 3)];
      const before = new LmdbCodes(folder.path, 2_500);
      before.write(new Map([first]));
      before.write(new Map([first, second]));
      await before.close();
      const after = new LmdbCodes(folder.path, 2_500);
      assert.deepEqual(after.read(first[0]), first[1]);
      assert.deepEqual(after.read(second[0]), second[1]);
      after.write(new Map([third]));
      assert.deepEqual(after.read(third[0]), third[1]);
      assert.equal(after.read(first[0]), undefined);
      await after.close();
    } finally {
      folder.remove();
    }
  });
});

describe('what is read often', () => {
  test('counts heads, not reads, and is forgotten after some without any', () => {
    const keys = new HotKeys();
    for (let i = 0; i < 9; i++) keys.noteRead('once', 'slot');
    assert.deepEqual([...(keys.rotate().accounts.get('once') ?? [])], ['slot']);
    let heads = 0;
    while (keys.rotate().size > 0) heads++;
    assert.equal(heads, 2);
  });

  test('is proven within bounds, what is read at most heads first', () => {
    const keys = new HotKeys();
    const often = Array.from({ length: 64 }, (_, i) => `often ${i}`);
    for (let head = 0; head < 3; head++) {
      for (let i = 0; i < 100; i++) keys.noteRead(`other ${head} ${i}`, undefined);
      for (const account of often) {
        keys.noteRead(account, undefined);
        for (let slot = 0; slot < 20; slot++) keys.noteRead(account, `/${slot}`);
      }
      const { accounts } = keys.rotate();
      assert.ok(accounts.size <= 64);
      const slots = [...accounts.values()].reduce((sum, { size }) => sum + size, 0);
      assert.ok(slots <= 512);
      if (head > 0) assert.deepEqual([...accounts.keys()].sort(), often.sort());
    }
  });
});
