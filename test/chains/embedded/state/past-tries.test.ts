/** Tries of past blocks, compared with tries that are built from scratch, while the head moves. */
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import fc from 'fast-check';
import { bigIntToBytes, bytesToBigInt } from '../../../../packages/ethereum/primitives/bytes.ts';
import { bytesToHex } from '../../../../packages/ethereum/primitives/hex.ts';
import { EMPTY_CODE_HASH } from '../../../../packages/ethereum/primitives/keccak.ts';
import type { AccountChange } from '../../../../packages/evm/interpreter/host.ts';
import { ChainError } from '../../../../src/chain/errors.ts';
import type { BlockReference } from '../../../../src/chain/requests.ts';
import { EngineState } from '../../../../src/chains/embedded/reads/state-reads.ts';
import { StoredBlocks } from '../../../../src/chains/embedded/reads/stored-blocks.ts';
import { buildPastTrie } from '../../../../src/chains/embedded/state/past-trie.ts';
import { HeadMovedError, PastTries, runAtHead } from '../../../../src/chains/embedded/state/past-tries.ts';
import { createStateReader } from '../../../../src/chains/embedded/state/state-reader.ts';
import type { StateTrie } from '../../../../src/chains/embedded/state/state-trie.ts';
import { STORED_CHANGES } from '../../../../src/chains/embedded/store/block-changes.ts';
import type { StoredHeader } from '../../../../src/chains/embedded/store/chain-reader.ts';
import { SCHEDULER, SLOT_MS } from '../../../../src/util/slot-scheduler.ts';
import { createScope } from '../../../pool/support/exchange.ts';
import { countRuns } from '../../../support/count-runs.ts';
import { makeTemporaryFolder } from '../../../support/embedded.ts';
import { StateStore } from '../../../support/state-store.ts';
import { type AccountProof, verifyAccountProof } from '../../../support/verify-proof.ts';

const ADDRESSES = 4;
const SLOTS = 6;
const addressOf = (index: number): Uint8Array => new Uint8Array(20).fill(index + 1);
const slotOf = (index: number): Uint8Array => new Uint8Array(32).fill(index + 1);

const change = fc.record({
  kind: fc.constantFrom('put', 'put', 'put', 'clear', 'delete'),
  at: fc.nat(ADDRESSES - 1),
  balance: fc.bigInt({ min: 0n, max: 2n ** 70n }),
  slots: fc.array(fc.tuple(fc.nat(SLOTS - 1), fc.constantFrom(0n, 1n, 2n, 2n ** 255n)), { maxLength: 5 }),
});
type Change = typeof change extends fc.Arbitrary<infer T> ? T : never;

function describeChange({ kind, at, balance, slots }: Change): AccountChange {
  const account = kind === 'delete' ? undefined : { nonce: 1n, balance, codeHash: EMPTY_CODE_HASH };
  const storage =
    kind === 'delete' ? [] : slots.map(([slot, value]) => [slotOf(slot), bigIntToBytes(value)] as const);
  return { address: addressOf(at), account, isStorageCleared: kind === 'clear', storage };
}

const folder = makeTemporaryFolder();
after(() => folder.remove());
let stores = 0;

function openStore(): StateStore {
  return new StateStore(`${folder.path}/${stores++}`);
}

function addBlock(store: StateStore, changes: readonly Change[]): void {
  for (const one of changes) store.apply({ accounts: [describeChange(one)], codes: [] });
  store.seal(store.state.computeRoot());
}

async function checkBlock(store: StateStore, state: EngineState, number: bigint): Promise<void> {
  const stateRoot = store.reader.getHeader(number)?.header.stateRoot ?? assert.fail();
  const byKey = createStateReader(store.reader, number);
  const words = Array.from({ length: SLOTS }, (_, slot) => bytesToHex(slotOf(slot)));
  for (let at = 0; at < ADDRESSES; at++) {
    const address = bytesToHex(addressOf(at));
    const result = await state.getProof(address, words, { kind: 'number', number }, createScope());
    const proof = JSON.parse(result as string) as AccountProof;
    verifyAccountProof(proof, stateRoot);
    assert.equal(BigInt(proof.balance), byKey.getAccount(addressOf(at))?.balance ?? 0n);
    assert.deepEqual(
      proof.storageProof.map(({ value }) => BigInt(value)),
      words.map((_, slot) => bytesToBigInt(byKey.getStorage(addressOf(at), slotOf(slot)))),
    );
  }
}

test('every past block of any sequence has proofs, with and without lists of changes', async () => {
  const blocks = fc.array(fc.array(change, { maxLength: 6 }), { minLength: 1, maxLength: 12 });
  const property = fc.asyncProperty(blocks, fc.nat(4), fc.boolean(), async (all, every, isListed) => {
    const store = openStore();
    for (const [i, changes] of all.entries()) {
      addBlock(store, changes);
      if (i % (every + 1) === 0) store.commit();
    }
    store.commit();
    if (!isListed) store.tables.changes?.clearSync();
    const state = new EngineState(new StoredBlocks(store.reader), STORED_CHANGES);
    for (let number = 0n; number <= store.reader.head.header.number; number++) {
      await checkBlock(store, state, number);
    }
    await store.close();
  });
  await fc.assert(property, { numRuns: countRuns(100) });
});

test('a destroyed storage of many slots is complete in proofs of earlier blocks', async () => {
  const store = openStore();
  const account = { nonce: 1n, balance: 1n, codeHash: EMPTY_CODE_HASH };
  const slots = Array.from({ length: 3_000 }, (_, i) => [bigIntToSlot(i), Uint8Array.of(1)] as const);
  const address = addressOf(0);
  store.apply({ accounts: [{ address, account, isStorageCleared: false, storage: slots }], codes: [] });
  store.seal(store.state.computeRoot());
  addBlock(store, [{ kind: 'clear', at: 0, balance: 1n, slots: [[0, 5n]] }]);
  addBlock(store, [{ kind: 'delete', at: 0, balance: 0n, slots: [] }]);
  store.commit();
  const state = new EngineState(new StoredBlocks(store.reader), 10);
  const words = [0, 1_500, 2_999, 3_000].map((i) => bytesToHex(bigIntToSlot(i)));
  const proof = JSON.parse(
    (await state.getProof(
      bytesToHex(address),
      words,
      { kind: 'number', number: 1n },
      createScope(),
    )) as string,
  ) as AccountProof;
  verifyAccountProof(proof, store.reader.getHeader(1n)?.header.stateRoot ?? assert.fail());
  assert.deepEqual(
    proof.storageProof.map(({ value }) => value),
    ['0x1', '0x1', '0x1', '0x0'],
  );
  for (const number of [2n, 3n]) await checkBlock(store, state, number);
  await store.close();
});

function bigIntToSlot(index: number): Uint8Array {
  const slot = new Uint8Array(32);
  new DataView(slot.buffer).setUint32(28, index + 1);
  return slot;
}

const put = (at: number, balance: bigint): Change => ({ kind: 'put', at, balance, slots: [[at, balance]] });

test('tries under construction do not mix two heads, and the proof is restarted', async () => {
  const store = openStore();
  for (let n = 1n; n <= 9n; n++) addBlock(store, [put(0, n), put(1, n), put(2, n)]);
  store.commit();
  const block = store.reader.getHeader(4n) as StoredHeader;
  const work = runAtHead(store.reader, 9n, buildPastTrie(store.reader, block, 9));
  assert.equal(work.next().done, false);
  addBlock(store, [put(0, 100n)]);
  store.commit();
  assert.throws(() => work.next(), HeadMovedError);

  const state = new EngineState(new StoredBlocks(store.reader), 100);
  const scope = createScope();
  const words = [bytesToHex(slotOf(0))];
  // The slot's time is used up: blocks are committed between each request and its first step.
  const proofs = Array.from({ length: 5 }, async (_, i) => {
    const number = BigInt(i + 2);
    SCHEDULER.spend(SLOT_MS);
    const requested = state.getProof(bytesToHex(addressOf(0)), words, { kind: 'number', number }, scope);
    assert.ok(requested instanceof Promise);
    addBlock(store, [put(0, 200n + number)]);
    store.commit();
    const proof = JSON.parse((await requested) as string) as AccountProof;
    verifyAccountProof(proof, store.reader.getHeader(number)?.header.stateRoot ?? assert.fail());
    assert.equal(proof.balance, `0x${number.toString(16)}`);
  });
  await Promise.all(proofs);
  await store.close();
});

test('a head that moves at every read makes a proof fail as busy', async () => {
  const store = openStore();
  for (let n = 1n; n <= 2n; n++) addBlock(store, [put(0, n)]);
  store.commit();
  let looks = 0;
  const restless = new Proxy(store.reader, {
    get: (target, name) => {
      if (name === 'head') return target.getHeader(BigInt(1 + (looks++ % 2)));
      const member: unknown = Reflect.get(target, name, target);
      return typeof member === 'function' ? member.bind(target) : member;
    },
  });
  const state = new EngineState(new StoredBlocks(restless), 100);
  const block: BlockReference = { kind: 'number', number: 1n };
  const ask = async (): Promise<unknown> =>
    state.getProof(bytesToHex(addressOf(0)), [], block, createScope());
  await assert.rejects(ask(), (error) => error instanceof ChainError && error.kind === 'busy');
  assert.ok(looks >= 20, String(looks));
  await store.close();
});

test('the tries of a block are built once per head', async () => {
  const store = openStore();
  for (let n = 1n; n <= 9n; n++) addBlock(store, [put(0, n)]);
  store.commit();
  const tries = new PastTries(store.reader);
  const block = store.reader.getHeader(4n) as StoredHeader;
  const [first, second] = await Promise.all([tries.open(block, 9n, ''), tries.open(block, 9n, '')]);
  assert.equal(first, second);
  assert.equal(tries.open(block, 9n, ''), first);
  addBlock(store, [put(0, 10n)]);
  store.commit();
  assert.notEqual(await tries.open(block, 10n, ''), first);
  await store.close();
});

test('an owner does not wait for tries of another owner, and too many requests are refused', async () => {
  const store = openStore();
  for (let n = 1n; n <= 90n; n++) addBlock(store, [put(0, n)]);
  store.commit();
  const tries = new PastTries(store.reader);
  const open = (number: number, owner: string): PromiseLike<unknown> | StateTrie => {
    SCHEDULER.spend(SLOT_MS);
    return tries.open(store.reader.getHeader(BigInt(number)) as StoredHeader, 90n, owner);
  };
  const ended: string[] = [];
  const follow = (number: number, owner: string): Promise<unknown> =>
    Promise.resolve(open(number, owner)).then(
      () => ended.push(owner),
      (error: ChainError) => ended.push(error.kind),
    );
  const greedy = Array.from({ length: 70 }, (_, i) => follow(i + 1, 'greedy'));
  await Promise.all([...greedy, follow(80, 'polite')]);
  assert.ok(ended.filter((end) => end !== 'busy').indexOf('polite') <= 10, ended.join());
  assert.ok(ended.filter((end) => end === 'busy').length >= 5, ended.join());
  assert.ok(ended.filter((end) => end === 'greedy').length >= 60, ended.join());
  await store.close();
});

test('a state that does not match its block is an error, not a proof', async () => {
  const store = openStore();
  addBlock(store, [put(0, 1n)]);
  store.apply({ accounts: [describeChange(put(0, 2n))], codes: [] });
  store.seal(new Uint8Array(32));
  addBlock(store, [put(0, 3n)]);
  store.commit();
  const state = new EngineState(new StoredBlocks(store.reader), 10);
  const ask = async (number: bigint): Promise<unknown> =>
    state.getProof(bytesToHex(addressOf(0)), [], { kind: 'number', number }, createScope());
  await assert.rejects(ask(2n), /^Error: the state trie of block 2 cannot be built from the store$/);
  await ask(1n);
  await store.close();
});

test('lists of changes are stored for the last blocks only', async () => {
  const store = openStore();
  const blocks = STORED_CHANGES + 5;
  for (let n = 1; n <= blocks; n++) addBlock(store, [put(0, BigInt(n))]);
  store.commit();
  assert.equal(store.tables.changes?.getCount(), STORED_CHANGES);
  assert.equal(store.reader.getChanges(5n), undefined);
  const changes = store.reader.getChanges(6n);
  assert.deepEqual(changes?.accounts.map(bytesToHex), [bytesToHex(addressOf(0))]);
  assert.deepEqual(changes?.slots.map(bytesToHex), [bytesToHex(addressOf(0)) + '01'.repeat(32)]);
  const state = new EngineState(new StoredBlocks(store.reader), STORED_CHANGES);
  await checkBlock(store, state, 5n);
  await assert.rejects(checkBlock(store, state, 4n), ChainError);
  await store.close();
});
