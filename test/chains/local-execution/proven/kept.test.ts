/** Storage of proven state by roots and hashes, within bounds. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { bytesToBigInt } from '../../../../packages/ethereum/primitives/bytes.ts';
import { bytesToHex } from '../../../../packages/ethereum/primitives/hex.ts';
import { EMPTY_CODE_HASH, keccak256 } from '../../../../packages/ethereum/primitives/keccak.ts';
import type { StateProofRequest } from '../../../../packages/proofs/state-proof.ts';
import { Codes, type CodeTable } from '../../../../src/chains/local-execution/proven/codes.ts';
import { HotKeys } from '../../../../src/chains/local-execution/proven/hot-keys.ts';
import { LmdbCodes } from '../../../../src/chains/local-execution/proven/lmdb-codes.ts';
import { RootTables } from '../../../../src/chains/local-execution/proven/root-tables.ts';
import { VerifiedStates } from '../../../../src/chains/local-execution/proven/verified-states.ts';
import { makeTemporaryFolder } from '../../../support/temporary-folder.ts';
import { addressAt, ModelState, slotAt } from './model-state.ts';

const codeOf = (length: number, byte: number): [string, Uint8Array] => {
  const code = new Uint8Array(length).fill(byte);
  return [bytesToHex(keccak256(code)), code];
};

test('RootTables never exceeds its bound, and returns only stored values', () => {
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

const request = (address: string, ...slots: readonly string[]): StateProofRequest => ({ address, slots });

describe('VerifiedStates', () => {
  test('returns slots at every block at which the account has the same storage root', () => {
    const model = new ModelState();
    model.set(addressAt(1), [5n]);
    const states = new VerifiedStates(1 << 20);
    const prove = (...words: readonly string[]): string => {
      const { stateRoot } = model;
      states.note(stateRoot, request(addressAt(1), ...words), model.prove(request(addressAt(1), ...words)));
      return stateRoot;
    };
    const first = states.findAccount(prove(slotAt(0)), addressAt(1));
    assert.ok(first?.account.hasStorage);
    model.set(addressAt(2), []);
    const second = states.findAccount(prove(), addressAt(1));
    assert.deepEqual(states.findSlot(second?.storageRoot ?? '', slotAt(0)), Uint8Array.of(5));
    model.set(addressAt(1), [6n]);
    assert.equal(states.findAccount(model.stateRoot, addressAt(1)), undefined);
    const third = states.findAccount(prove(), addressAt(1));
    assert.equal(states.findSlot(third?.storageRoot ?? '', slotAt(0)), undefined);
    assert.deepEqual(states.latestOf(addressAt(1))?.roots, [third?.storageRoot, first.storageRoot]);
  });

  test('returns null for an absent account', () => {
    const model = new ModelState();
    model.set(addressAt(1), []);
    const states = new VerifiedStates(1 << 20);
    for (const address of [addressAt(1), addressAt(2)])
      states.note(model.stateRoot, request(address), model.prove(request(address)));
    assert.equal(states.findAccount(model.stateRoot, addressAt(2)), null);
    assert.equal(states.findAccount(model.stateRoot, addressAt(1))?.account.hasStorage, false);
  });

  test('returns only values of the state, whatever was proven, at every block', () => {
    const numbers = fc.nat({ max: 30 });
    const steps = fc.array(fc.tuple(numbers, numbers, fc.array(numbers, { maxLength: 3 })), {
      maxLength: 40,
    });
    fc.assert(
      fc.property(steps, (list) => {
        const model = new ModelState();
        for (let i = 0; i < 20; i++) model.set(addressAt(i), [BigInt(i), 1n, 2n]);
        const states = new VerifiedStates(1 << 20);
        for (const [changed, proven, requested] of list) {
          model.set(addressAt(changed), [BigInt(proven), BigInt(requested.length)]);
          const ask = request(addressAt(proven), ...requested.map(slotAt));
          states.note(model.stateRoot, ask, model.prove(ask));
          for (let i = 0; i <= 30; i++) {
            const known = states.findAccount(model.stateRoot, addressAt(i));
            if (known === undefined) continue;
            assert.equal(known?.account.balance, model.balanceOf(addressAt(i)));
            for (let at = 0; known !== null && at < 5; at++) {
              const value = states.findSlot(known.storageRoot, slotAt(at));
              if (value !== undefined)
                assert.equal(bytesToBigInt(value), model.wordOf(addressAt(i), slotAt(at)));
            }
          }
        }
      }),
      { numRuns: 50 },
    );
  });

  test('derives the absence of other accounts from a proof of one account', () => {
    const model = new ModelState();
    for (let i = 0; i < 3; i++) model.set(addressAt(i), [1n]);
    const states = new VerifiedStates(1 << 20);
    const ask = request(addressAt(0));
    states.note(model.stateRoot, ask, model.prove(ask));
    const absent = Array.from({ length: 30 }, (_, i) => addressAt(3 + i));
    const known = absent.filter((address) => states.findAccount(model.stateRoot, address) === null);
    // The root has at most three children, so proofs of thirteen places show absence.
    assert.ok(known.length > absent.length / 2, `${known.length} are known not to be there`);
  });

  test('stays within its bound', () => {
    const bytes = 200_000;
    const states = new VerifiedStates(bytes);
    const model = new ModelState();
    for (let i = 0; i < 100; i++) model.set(addressAt(i), [BigInt(i)]);
    for (let i = 0; i < 400; i++) {
      if (i % 8 === 0) model.set(addressAt(i % 100), [BigInt(i), 1n]);
      const ask = request(addressAt(i % 100), slotAt(0), slotAt(1));
      states.note(model.stateRoot, ask, model.prove(ask));
      assert.ok(states.bytes <= bytes);
    }
    assert.ok(states.bytes > bytes / 4);
  });
});

describe('codes', () => {
  test('of a table under a wrong hash are ignored', () => {
    const [hash, code] = codeOf(10, 1);
    const table: CodeTable = { read: () => code, write: () => {} };
    const codes = new Codes(1 << 20, table, (error) => assert.fail(String(error)));
    assert.deepEqual(codes.find(hash), code);
    assert.equal(codes.find(bytesToHex(new Uint8Array(32))), undefined);
    assert.deepEqual(codes.find(bytesToHex(EMPTY_CODE_HASH)), new Uint8Array(0));
  });

  test('are cached in memory if the table fails, and the failure is reported', () => {
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

  test('persist across processes, in a file within its bound', async () => {
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

describe('HotKeys', () => {
  test('ranks keys by the number of heads at which they were read, however many others are read at one head', () => {
    const keys = new HotKeys();
    for (let head = 0; head < 3; head++) {
      keys.noteRead('often', undefined);
      for (let i = 0; i < 20_000; i++) keys.noteRead(`flood ${head} ${i}`, undefined);
      keys.noteRead(`late ${head}`, undefined);
      const [first] = keys.rotate().accounts.keys();
      if (head > 0) assert.equal(first, 'often');
      assert.equal(keys.rotate().size, 1_024);
      keys.noteRead('often', undefined);
      keys.rotate();
    }
    const full = new HotKeys();
    for (let i = 0; i < 20_000; i++) full.noteRead(`flood ${i}`, undefined);
    full.rotate();
    full.noteRead('new', undefined);
    full.rotate();
    full.noteRead('new', undefined);
    assert.equal([...full.rotate().accounts.keys()][0], 'new');
  });

  test('counts heads, not reads, and forgets a key after some heads without reads', () => {
    const keys = new HotKeys();
    for (let i = 0; i < 9; i++) keys.noteRead('once', 'slot');
    assert.deepEqual([...(keys.rotate().accounts.get('once') ?? [])], ['slot']);
    let heads = 0;
    while (keys.rotate().size > 0) heads++;
    assert.equal(heads, 2);
  });

  test('returns bounded numbers of accounts and slots, the keys read at most heads first', () => {
    const keys = new HotKeys();
    const often = Array.from({ length: 1_024 }, (_, i) => `often ${i}`);
    for (let head = 0; head < 3; head++) {
      for (let i = 0; i < 100; i++) keys.noteRead(`other ${head} ${i}`, undefined);
      for (const account of often) {
        keys.noteRead(account, undefined);
        for (let slot = 0; slot < 4; slot++) keys.noteRead(account, `/${slot}`);
      }
      const { accounts } = keys.rotate();
      assert.ok(accounts.size <= 1_024);
      const slots = [...accounts.values()].reduce((sum, { size }) => sum + size, 0);
      assert.ok(slots <= 1_024);
      if (head > 0) assert.deepEqual([...accounts.keys()].sort(), often.sort());
    }
  });
});
