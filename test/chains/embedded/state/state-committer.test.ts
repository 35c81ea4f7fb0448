/** State with history against a model that copies everything: the newest state, every past one, and all roots. */
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import fc from 'fast-check';
import { bigIntToBytes, concatBytes, EMPTY_BYTES } from '../../../../packages/ethereum/primitives/bytes.ts';
import { bytesToHex } from '../../../../packages/ethereum/primitives/hex.ts';
import {
  EMPTY_CODE_HASH,
  EMPTY_TRIE_ROOT,
  keccak256,
} from '../../../../packages/ethereum/primitives/keccak.ts';
import { MerkleTrie } from '../../../../packages/ethereum/primitives/merkle-trie.ts';
import { encodeRlp } from '../../../../packages/ethereum/primitives/rlp.ts';
import type { AccountChange, StateReader } from '../../../../packages/evm/interpreter/host.ts';
import { StateCommitter } from '../../../../src/chains/embedded/state/state-committer.ts';
import { createStateReader } from '../../../../src/chains/embedded/state/state-reader.ts';
import { EMPTY_SOURCE } from '../../../../src/chains/embedded/state/state-source.ts';
import { StateTrie } from '../../../../src/chains/embedded/state/state-trie.ts';
import {
  decodeStoredAccount,
  encodeStoredAccount,
} from '../../../../src/chains/embedded/state/stored-account.ts';
import type { NodeWrite } from '../../../../src/chains/embedded/store/state-batch.ts';
import { countRuns } from '../../../support/count-runs.ts';
import { makeTemporaryFolder } from '../../../support/embedded.ts';
import { StateStore } from '../../../support/state-store.ts';

const ADDRESSES = 3;
const SLOTS = 4;
const addressOf = (index: number): Uint8Array => new Uint8Array(20).fill(index + 1);
const slotOf = (index: number): Uint8Array => new Uint8Array(32).fill(index + 1);

type ModelAccount = { readonly nonce: bigint; readonly balance: bigint; readonly slots: readonly bigint[] };
type Model = readonly (ModelAccount | undefined)[];

const NO_SLOTS: readonly bigint[] = new Array(SLOTS).fill(0n);
const NO_STATE: Model = new Array(ADDRESSES).fill(undefined);

/** Computes the root of a state from scratch. */
function rootOf(model: Model): string {
  const build = (entries: readonly (readonly [Uint8Array, Uint8Array])[]): Uint8Array => {
    const trie = new MerkleTrie(EMPTY_TRIE_ROOT, () => undefined);
    for (const [key, value] of entries) trie.put(keccak256(key), value);
    return trie.commit(() => undefined);
  };
  const leaves = model.flatMap((account, index) => {
    if (account === undefined) return [];
    const slots = account.slots.flatMap((value, slot) =>
      value === 0n ? [] : [[slotOf(slot), encodeRlp(value)] as const],
    );
    const leaf = encodeRlp([account.nonce, account.balance, build(slots), EMPTY_CODE_HASH]);
    return [[addressOf(index), leaf] as const];
  });
  return bytesToHex(build(leaves));
}

function compare(state: StateReader, model: Model, what: string): void {
  model.forEach((want, index) => {
    const have = state.getAccount(addressOf(index));
    const expected = want && {
      nonce: want.nonce,
      balance: want.balance,
      codeHash: EMPTY_CODE_HASH,
      hasStorage: want.slots.some((value) => value !== 0n),
    };
    assert.deepEqual(have && { ...have, codeHash: new Uint8Array(have.codeHash) }, expected, what);
    for (let slot = 0; slot < SLOTS; slot++) {
      const value = state.getStorage(addressOf(index), slotOf(slot));
      assert.equal(bytesToHex(value), bytesToHex(bigIntToBytes(want?.slots[slot] ?? 0n)), what);
    }
  });
}

const change = fc.record({
  kind: fc.constantFrom('put', 'put', 'put', 'clear', 'delete'),
  at: fc.nat(ADDRESSES - 1),
  balance: fc.bigInt({ min: 0n, max: 2n ** 70n }),
  slots: fc.array(fc.tuple(fc.nat(SLOTS - 1), fc.constantFrom(0n, 0n, 1n, 2n ** 255n)), { maxLength: 4 }),
});
type Change = typeof change extends fc.Arbitrary<infer T> ? T : never;

const step = fc.oneof(
  { weight: 5, arbitrary: fc.record({ kind: fc.constant('change' as const), change }) },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('seal' as const) }) },
  { weight: 3, arbitrary: fc.record({ kind: fc.constantFrom('root' as const, 'root', 'discard' as const) }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('commit' as const), isReopened: fc.boolean() }) },
);
type Step = typeof step extends fc.Arbitrary<infer T> ? T : never;

function describeChange({ kind, at, balance, slots }: Change): AccountChange {
  const account = kind === 'delete' ? undefined : { nonce: 1n, balance, codeHash: EMPTY_CODE_HASH };
  const storage =
    kind === 'delete' ? [] : slots.map(([slot, value]) => [slotOf(slot), bigIntToBytes(value)] as const);
  return { address: addressOf(at), account, isStorageCleared: kind === 'clear', storage };
}

function changeModel(model: Model, { kind, at, balance, slots }: Change): Model {
  if (kind === 'delete') return model.with(at, undefined);
  const values = [...(kind === 'clear' ? NO_SLOTS : (model[at]?.slots ?? NO_SLOTS))];
  for (const [slot, value] of slots) values[slot] = value;
  return model.with(at, { nonce: 1n, balance, slots: values });
}

/** Lists keys and nodes of a state's tries, built from scratch. */
function listNodes(model: Model): string[] {
  const state = new StateCommitter(EMPTY_SOURCE);
  const accounts = model.flatMap((account, at) => {
    if (account === undefined) return [];
    const slots = account.slots.map((value, slot) => [slot, value] as [number, bigint]);
    return [describeChange({ kind: 'put', at, balance: account.balance, slots })];
  });
  state.apply({ accounts, codes: [] }, 1n);
  state.sealBlock(1n);
  const { accountTrie, storageTries } = state.collectBatch();
  const show = ([path, encoded]: NodeWrite, owner = EMPTY_BYTES): string =>
    `${bytesToHex(concatBytes(owner, path))} ${bytesToHex(encoded as Uint8Array)}`;
  const ofAccounts = [...accountTrie].map((node) => show(node));
  return ofAccounts.concat(
    [...storageTries].flatMap(({ owner, nodes }) => [...nodes].map((node) => show(node, owner))),
  );
}

/** Applies steps to the store and to the model. */
class Comparison {
  readonly #store: StateStore;
  readonly #sealed: Model[] = [NO_STATE];
  #committed = 0;
  #model: Model = NO_STATE;

  constructor(store: StateStore) {
    this.#store = store;
  }

  run(steps: readonly Step[]): void {
    for (const each of steps) {
      this.#apply(each);
      compare(this.#store.state, this.#model, 'newest');
    }
    this.#apply({ kind: 'discard' });
    this.#apply({ kind: 'commit', isReopened: true });
    this.#checkHistory();
  }

  #apply(each: Step): void {
    const { state } = this.#store;
    switch (each.kind) {
      case 'change':
        this.#store.apply({ accounts: [describeChange(each.change)], codes: [] });
        this.#model = changeModel(this.#model, each.change);
        return;
      case 'root':
        assert.equal(bytesToHex(state.computeRoot()), rootOf(this.#model));
        return;
      case 'seal':
        this.#store.seal();
        this.#sealed.push(this.#model);
        return;
      case 'discard':
        state.discardBlock();
        this.#model = this.#sealed.at(-1) as Model;
        return;
      case 'commit':
        this.#commit(each.isReopened);
    }
  }

  #commit(isReopened: boolean): void {
    this.#apply({ kind: 'discard' });
    this.#store.commit();
    this.#committed = this.#sealed.length - 1;
    const stored = new StateTrie(this.#store.reader).apply([]);
    assert.equal(bytesToHex(stored), rootOf(this.#model), 'the stored trie is the newest state');
    const { accountTrie, storageTries } = this.#store.tables;
    const nodes = [...accountTrie.getRange(), ...storageTries.getRange()];
    assert.deepEqual(
      nodes.map(({ key, value }) => `${bytesToHex(key)} ${bytesToHex(value)}`).sort(),
      listNodes(this.#model).sort(),
      'and there are no other nodes',
    );
    if (isReopened) this.#store.reopenState();
  }

  #checkHistory(): void {
    assert.equal(this.#committed, this.#sealed.length - 1);
    this.#sealed.forEach((model, number) => {
      compare(createStateReader(this.#store.reader, BigInt(number)), model, `after block ${number}`);
    });
  }
}

const folder = makeTemporaryFolder();
after(() => folder.remove());

test('state, history and roots equal those of a copying model, for any sequence of blocks', async () => {
  let runs = 0;
  await fc.assert(
    fc.asyncProperty(fc.array(step, { maxLength: 60, size: 'max' }), async (steps) => {
      const store = new StateStore(`${folder.path}/${runs++}`);
      try {
        new Comparison(store).run(steps);
      } finally {
        await store.close();
      }
    }),
    { numRuns: countRuns(80) },
  );
});

test('an account that is destroyed and recreated starts without its old storage, however blocks divide the changes', async () => {
  const store = new StateStore(`${folder.path}/destroyed`);
  const account = { nonce: 0n, balance: 1n, codeHash: EMPTY_CODE_HASH };
  const write = (slots: readonly number[]): AccountChange => ({
    address: addressOf(0),
    account,
    isStorageCleared: false,
    storage: slots.map((slot) => [slotOf(slot), Uint8Array.of(slot + 1)] as const),
  });
  const destroy: AccountChange = {
    address: addressOf(0),
    account: undefined,
    isStorageCleared: true,
    storage: [],
  };
  for (const accounts of [[write([0, 1])], [destroy], [write([2])], [write([0]), destroy, write([1])]]) {
    store.apply({ accounts, codes: [] });
    store.seal();
    store.commit();
  }
  const slotsAt = (block: bigint): number[] => {
    const state = createStateReader(store.reader, block);
    return [0, 1, 2].map((slot) => state.getStorage(addressOf(0), slotOf(slot))[0] ?? 0);
  };
  assert.deepEqual([1n, 2n, 3n, 4n].map(slotsAt), [
    [1, 2, 0],
    [0, 0, 0],
    [0, 0, 3],
    [0, 2, 0],
  ]);
  assert.equal(createStateReader(store.reader, 2n).getAccount(addressOf(0)), undefined);
  await store.close();
});

test('code is found before and after it is committed; missing code is an error', async () => {
  const store = new StateStore(`${folder.path}/code`);
  const code = Uint8Array.of(0x60, 0x01);
  const hash = keccak256(code);
  assert.throws(() => store.state.getCode(hash), /^Error: missing code 0x/);
  store.apply({ accounts: [], codes: [[hash, code]] });
  store.seal();
  assert.deepEqual(store.state.getCode(hash), code);
  store.commit();
  assert.deepEqual(new Uint8Array(store.state.getCode(hash)), code);
  assert.deepEqual(new Uint8Array(createStateReader(store.reader, 1n).getCode(hash)), code);
  await store.close();
});

test('a stored account decodes to the account that was encoded', () => {
  const count = fc.integer({ min: 1, max: 2 ** 48 - 1 });
  fc.assert(
    fc.property(
      fc.bigInt({ min: 0n, max: 2n ** 64n - 1n }),
      fc.bigInt({ min: 0n, max: 2n ** 256n - 1n }),
      fc.option(fc.uint8Array({ minLength: 32, maxLength: 32 })),
      fc.option(fc.tuple(count, count)),
      (nonce, balance, code, storage) => {
        const [slotCount, storageSince] = storage ?? [0, 0];
        const account = { nonce, balance, codeHash: code ?? EMPTY_CODE_HASH, slotCount, storageSince };
        assert.deepEqual(decodeStoredAccount(encodeStoredAccount(account)), account);
      },
    ),
  );
  assert.equal(decodeStoredAccount(EMPTY_BYTES), undefined);
});

test('buffered blocks are counted by size, and released with the batch', () => {
  const state = new StateCommitter(EMPTY_SOURCE);
  const empty = state.size;
  for (let index = 0; index < 1_000; index++) {
    const address = Uint8Array.from({ length: 20 }, (_, at) =>
      at === 0 ? index >> 8 : at === 1 ? index : 0,
    );
    const account = { nonce: 0n, balance: BigInt(index), codeHash: EMPTY_CODE_HASH };
    const change = { address, account, isStorageCleared: false, storage: [] };
    state.apply({ accounts: [change], codes: [] }, 1n);
  }
  state.computeRoot();
  state.sealBlock(1n);
  assert.ok(state.size > empty + 100_000, String(state.size));
  state.forgetBatch();
  assert.equal(state.size, empty);
});
