/** What is kept of proven state: by roots and hashes, within bounds. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { setImmediate as turn } from 'node:timers/promises';
import fc from 'fast-check';
import { ChainError } from '../../src/chain/errors.ts';
import { bytesToBigInt } from '../../src/primitives/bytes.ts';
import { bytesToHex } from '../../src/primitives/hex.ts';
import { EMPTY_CODE_HASH, keccak256 } from '../../src/primitives/keccak.ts';
import { Codes, type CodeTable } from '../../src/proven/codes.ts';
import { HotKeys } from '../../src/proven/hot-keys.ts';
import { LmdbCodes } from '../../src/proven/lmdb-codes.ts';
import { ProvenStates } from '../../src/proven/proven-states.ts';
import { RootTables } from '../../src/proven/root-tables.ts';
import type { HeadPlace, StateNodes, StatePlace } from '../../src/proven/state-nodes.ts';
import { createProven, StateRequests } from '../../src/proven/state-requests.ts';
import { RequestScope } from '../../src/util/request-scope.ts';
import type { ProofQuestion } from '../../src/verification/state-proof.ts';
import { makeTemporaryFolder } from '../support/temporary-folder.ts';
import { addressAt, ModelState, slotAt } from './model-state.ts';

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

const question = (address: string, ...slots: readonly string[]): ProofQuestion => ({ address, slots });
const slots = (count: number): readonly string[] => Array.from({ length: count }, (_, i) => slotAt(i));

describe('proven states', () => {
  test('slots hold at every block at which the account has the same storage root', () => {
    const model = new ModelState();
    model.set(addressAt(1), [5n]);
    const states = new ProvenStates(1 << 20);
    const prove = (...words: readonly string[]): string => {
      const { stateRoot } = model;
      states.note(stateRoot, question(addressAt(1), ...words), model.prove(question(addressAt(1), ...words)));
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

  test('an account that is not there is known as that', () => {
    const model = new ModelState();
    model.set(addressAt(1), []);
    const states = new ProvenStates(1 << 20);
    for (const address of [addressAt(1), addressAt(2)])
      states.note(model.stateRoot, question(address), model.prove(question(address)));
    assert.equal(states.findAccount(model.stateRoot, addressAt(2)), null);
    assert.equal(states.findAccount(model.stateRoot, addressAt(1))?.account.hasStorage, false);
  });

  test('what is known is what the state has, whatever was proven of it, at every block', () => {
    const numbers = fc.nat({ max: 30 });
    const steps = fc.array(fc.tuple(numbers, numbers, fc.array(numbers, { maxLength: 3 })), {
      maxLength: 40,
    });
    let derived = 0;
    fc.assert(
      fc.property(steps, (list) => {
        const model = new ModelState();
        for (let i = 0; i < 20; i++) model.set(addressAt(i), [BigInt(i), 1n, 2n]);
        const states = new ProvenStates(1 << 20);
        for (const [changed, proven, asked] of list) {
          model.set(addressAt(changed), [BigInt(proven), BigInt(asked.length)]);
          const ask = question(addressAt(proven), ...asked.map(slotAt));
          states.note(model.stateRoot, ask, model.prove(ask));
          for (let i = 0; i <= 30; i++) {
            const known = states.findAccount(model.stateRoot, addressAt(i));
            if (known === undefined) continue;
            if (i !== proven) derived++;
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
    assert.ok(derived > 0, 'nothing follows from proofs of others');
  });

  test('they take no more than they may', () => {
    const bytes = 200_000;
    const states = new ProvenStates(bytes);
    const model = new ModelState();
    for (let i = 0; i < 100; i++) model.set(addressAt(i), [BigInt(i)]);
    for (let i = 0; i < 400; i++) {
      if (i % 8 === 0) model.set(addressAt(i % 100), [BigInt(i), 1n]);
      const ask = question(addressAt(i % 100), slotAt(0), slotAt(1));
      states.note(model.stateRoot, ask, model.prove(ask));
      assert.ok(states.bytes <= bytes);
    }
    assert.ok(states.bytes > bytes / 4);
  });
});

const failWith = (error: unknown): never => assert.fail(String(error));

/** Nodes that prove a model's state, and what they were asked. */
function openModel(model: ModelState) {
  const asked: ProofQuestion[] = [];
  const trips = new Set<object | undefined>();
  const state = { isDown: false, held: Promise.resolve() };
  /** Holds answers back. @returns what lets them go */
  const hold = (): (() => void) => {
    let release = (): void => {};
    state.held = new Promise((resolve) => {
      release = resolve;
    });
    return release;
  };
  const nodes: StateNodes = {
    async askProof(asking, _at, scope) {
      asked.push(asking);
      trips.add(scope.batch);
      await state.held;
      if (state.isDown) throw new ChainError('unavailable', 'no node answers');
      return model.prove(asking);
    },
    askCode: () => assert.fail('no code is needed'),
  };
  const proven = createProven({ bytes: 1 << 22, onFault: failWith });
  const requests = new StateRequests(nodes, proven, 600_000);
  return { asked, trips, state, hold, requests };
}

const placeOf = (model: ModelState, number = 1n): HeadPlace => ({
  number,
  hash: model.stateRoot,
  stateRoot: model.stateRoot,
  isCanonical: true,
  parentHash: '',
  accessListHash: undefined,
});
const openScope = (): RequestScope => new RequestScope(performance.now() + 600_000);

describe('what is missing', () => {
  test('of one account is one question, of many accounts one trip, and nothing is asked twice', async () => {
    const model = new ModelState();
    for (let i = 0; i < 20; i++) model.set(addressAt(i), [7n, 8n, 9n]);
    const { asked, trips, requests } = openModel(model);
    const at = placeOf(model);
    const reads = Array.from({ length: 60 }, (_, i) =>
      requests.prove(question(addressAt(i % 20), slotAt(Math.floor(i / 20))), at, openScope()),
    );
    const found = await Promise.all(reads);
    for (const [i, values] of found.entries())
      assert.deepEqual(values?.words, [model.wordOf(addressAt(i % 20), slotAt(Math.floor(i / 20)))]);
    assert.equal(asked.length, 20);
    assert.equal(trips.size, 1);
    const again = requests.prove(question(addressAt(3), ...slots(3)), at, openScope());
    assert.ok(!(again instanceof Promise));
    assert.deepEqual(again?.words, [7n, 8n, 9n]);
  });

  test('waits for trips under way, and goes together then', async () => {
    const model = new ModelState();
    for (let i = 0; i < 40; i++) model.set(addressAt(i), []);
    const { asked, trips, hold, requests } = openModel(model);
    const at = placeOf(model);
    const reads: unknown[] = [];
    const read = (i: number): unknown => reads.push(requests.prove(question(addressAt(i)), at, openScope()));
    const answer = hold();
    for (let i = 0; i < 2; i++) {
      read(i);
      while (asked.length === i) await turn();
    }
    for (let i = 2; i < 40; i++) {
      read(i);
      await Promise.resolve();
    }
    answer();
    await Promise.all(reads);
    assert.equal(asked.length, 40);
    assert.equal(trips.size, 3);
  });

  test('more slots than one question may have are several, and come back in their order', async () => {
    const model = new ModelState();
    const words = Array.from({ length: 300 }, (_, i) => BigInt(i + 1));
    model.set(addressAt(0), words);
    const { asked, requests } = openModel(model);
    const values = await requests.prove(question(addressAt(0), ...slots(300)), placeOf(model), openScope());
    assert.deepEqual(values?.words, words);
    assert.deepEqual(
      asked.map((one) => one.slots.length),
      [128, 128, 44],
    );
  });

  test('values are right where less is kept than was asked for', async () => {
    const model = new ModelState();
    const words = Array.from({ length: 200 }, (_, i) => BigInt(i + 1));
    model.set(addressAt(0), words);
    const nodes: StateNodes = {
      askProof: async (asking) => model.prove(asking),
      askCode: () => assert.fail('no code is needed'),
    };
    const requests = new StateRequests(nodes, createProven({ bytes: 40_000, onFault: failWith }));
    for (let round = 0; round < 2; round++) {
      const values = await requests.prove(question(addressAt(0), ...slots(200)), placeOf(model), openScope());
      assert.deepEqual(values?.words, words);
      assert.equal(values?.account?.balance, model.balanceOf(addressAt(0)));
    }
  });

  test('an outage is told to all that wait, and asked about anew', async () => {
    const model = new ModelState();
    model.set(addressAt(0), []);
    const { state, requests } = openModel(model);
    state.isDown = true;
    const read = () => Promise.resolve(requests.prove(question(addressAt(0)), placeOf(model), openScope()));
    for (const { status } of await Promise.allSettled([read(), read()])) assert.equal(status, 'rejected');
    state.isDown = false;
    assert.equal((await read())?.account?.balance, model.balanceOf(addressAt(0)));
  });
});

describe('a new head', () => {
  test('needs far fewer proofs than accounts and slots are read, and readers wait for those', async () => {
    const model = new ModelState();
    const [count, slotCount] = [300, 200];
    for (let i = 0; i < count; i++) model.set(addressAt(i), []);
    const contract = addressAt(count);
    const words = Array.from({ length: slotCount }, (_, i) => BigInt(i + 1));
    model.set(contract, words);
    const { asked, requests } = openModel(model);
    const readAll = async (at: StatePlace): Promise<void> => {
      const reads = Array.from({ length: count }, (_, i) => question(addressAt(i)));
      for (const each of [...reads, question(contract, ...slots(slotCount))]) {
        const values = await requests.prove(each, at, openScope());
        assert.equal(values?.account?.balance, model.balanceOf(each.address));
        assert.deepEqual(
          values?.words,
          each.slots.map((slot) => model.wordOf(each.address, slot)),
        );
      }
    };
    await readAll(placeOf(model));
    for (let number = 2n; number < 5n; number++) {
      asked.length = 0;
      for (let i = 0; i < 10; i++) model.set(addressAt(Number(number) * 20 + i), [], number);
      words[Number(number)] = 1_000n * number;
      model.set(contract, words);
      const at = placeOf(model, number);
      requests.warmUp.noteHead(at);
      await readAll(at);
      // A head that came sooner than the last one took would be left out.
      while (requests.warmUp.count < Number(number) - 1) await turn();
      const slotsAsked = asked.reduce((sum, one) => sum + one.slots.length, 0);
      assert.ok(asked.length < count / 4, `${asked.length} proofs`);
      assert.ok(slotsAsked < slotCount / 2, `${slotsAsked} slots`);
    }
  });

  test('of which nothing is read any more is not asked about', async () => {
    const model = new ModelState();
    model.set(addressAt(0), []);
    const { asked, requests } = openModel(model);
    await requests.prove(question(addressAt(0)), placeOf(model), openScope());
    for (let number = 2n; number < 9n; number++) {
      model.set(addressAt(0), [], number);
      requests.warmUp.noteHead(placeOf(model, number));
      await requests.warmUp.findRound(model.stateRoot, question(addressAt(0)));
      await turn();
    }
    assert.ok(asked.length > 1 && asked.length < 5, `${asked.length} proofs`);
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
