/** The journalled state against a model that copies everything, and the trie that it is written into. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { EMPTY_ACCOUNT } from '../../src/engine/state/account.ts';
import { StateTrie } from '../../src/engine/state/state-trie.ts';
import { TrieStateView } from '../../src/engine/state/state-view.ts';
import { WorldState } from '../../src/engine/state/world-state.ts';
import { EMPTY_BYTES } from '../../src/primitives/bytes.ts';
import { bytesToHex } from '../../src/primitives/hex.ts';
import { EMPTY_TRIE_ROOT, keccak256 } from '../../src/primitives/keccak.ts';

const address = (index: number): Uint8Array => new Uint8Array(20).fill(index + 1);
const slotKey = (index: number): Uint8Array => new Uint8Array(32).fill(index + 1);
const ADDRESSES = 3;
const SLOTS = 3;

type ModelAccount = { balance: bigint; code: string; slots: bigint[] };
/** By index of the address; undefined: no such account. */
type Model = (ModelAccount | undefined)[];

class Nodes {
  readonly #nodes = new Map<string, Uint8Array>();
  readonly #codes = new Map<string, Uint8Array>();
  readonly loadNode = (hash: Uint8Array): Uint8Array | undefined => this.#nodes.get(bytesToHex(hash));
  readonly loadCode = (hash: Uint8Array): Uint8Array | undefined => this.#codes.get(bytesToHex(hash));
  readonly storeNode = (hash: Uint8Array, encoded: Uint8Array): void => {
    this.#nodes.set(bytesToHex(hash), encoded);
  };
  addCodes(codes: ReadonlyMap<string, Uint8Array>): void {
    for (const [hash, code] of codes) this.#codes.set(hash, code);
  }
}

const accountIndex = fc.nat(ADDRESSES - 1);
const slotIndex = fc.nat(SLOTS - 1);
const operation = fc.oneof(
  fc.record({ kind: fc.constant('credit' as const), at: accountIndex, amount: fc.nat(3) }),
  fc.record({ kind: fc.constant('code' as const), at: accountIndex, length: fc.nat(40) }),
  fc.record({ kind: fc.constant('store' as const), at: accountIndex, slot: slotIndex, value: fc.nat(3) }),
  fc.record({ kind: fc.constant('delete' as const), at: accountIndex }),
  fc.record({ kind: fc.constant('wipe' as const), at: accountIndex }),
  fc.record({ kind: fc.constantFrom('checkpoint', 'checkpoint', 'commit', 'rollback', 'flush', 'reopen') }),
);
type Operation = typeof operation extends fc.Arbitrary<infer T> ? T : never;

const copy = (model: Model): Model =>
  model.map((account) => account && { ...account, slots: [...account.slots] });

/** Runs operations on both; every so often (`flush`, `reopen`) the state goes through the trie. */
class Comparison {
  #model: Model = new Array(ADDRESSES).fill(undefined);
  readonly #saved: Model[] = [];
  readonly #nodes = new Nodes();
  #root = EMPTY_TRIE_ROOT;
  #world = this.#open();
  #trie = new StateTrie(this.#root, this.#nodes.loadNode, this.#nodes.storeNode);

  #open(): WorldState {
    return new WorldState(new TrieStateView(this.#root, this.#nodes));
  }

  #account(index: number): ModelAccount {
    this.#model[index] ??= { balance: 0n, code: '0x', slots: new Array(SLOTS).fill(0n) };
    return this.#model[index];
  }

  apply(step: Operation): void {
    const world = this.#world;
    switch (step.kind) {
      case 'credit':
        world.addBalance(address(step.at), BigInt(step.amount));
        this.#account(step.at).balance += BigInt(step.amount);
        return;
      case 'code': {
        const code = new Uint8Array(step.length).fill(step.length);
        world.putCode(address(step.at), code);
        this.#account(step.at).code = bytesToHex(code);
        return;
      }
      case 'store': {
        // Code stores only in accounts that are there.
        if (this.#model[step.at] === undefined) return;
        const value = step.value === 0 ? EMPTY_BYTES : Uint8Array.of(step.value);
        world.putStorage(address(step.at), slotKey(step.slot), value);
        this.#account(step.at).slots[step.slot] = BigInt(step.value);
        return;
      }
      case 'delete':
        world.putAccount(address(step.at), undefined);
        this.#model[step.at] = undefined;
        return;
      case 'wipe':
        world.clearStorage(address(step.at));
        if (this.#model[step.at] !== undefined) this.#account(step.at).slots.fill(0n);
        return;
      case 'checkpoint':
        world.checkpoint();
        this.#saved.push(copy(this.#model));
        return;
      case 'commit':
        if (this.#saved.pop() !== undefined) world.commit();
        return;
      case 'rollback': {
        const saved = this.#saved.pop();
        if (saved === undefined) return;
        world.rollback();
        this.#model = saved;
        return;
      }
      default:
        this.#write(step.kind === 'reopen');
    }
  }

  #write(isReopened: boolean): void {
    // A block's transactions are over when its state is written.
    while (this.#saved.pop() !== undefined) this.#world.commit();
    this.#root = this.#trie.apply(this.#world);
    this.#nodes.addCodes(this.#world.codes);
    assert.equal(bytesToHex(this.#root), this.#modelRoot());
    if (!isReopened) return;
    this.#world = this.#open();
    this.#trie = new StateTrie(this.#root, this.#nodes.loadNode, this.#nodes.storeNode);
  }

  /** The root of a fresh state with the model's contents. */
  #modelRoot(): string {
    const nodes = new Nodes();
    const world = new WorldState(new TrieStateView(EMPTY_TRIE_ROOT, nodes));
    this.#model.forEach((account, index) => {
      if (account === undefined) return;
      world.putAccount(address(index), { ...EMPTY_ACCOUNT, balance: account.balance });
      if (account.code !== '0x') {
        const code = new Uint8Array((account.code.length - 2) / 2).fill((account.code.length - 2) / 2);
        world.putCode(address(index), code);
      }
      account.slots.forEach((value, slot) => {
        if (value !== 0n) world.putStorage(address(index), slotKey(slot), Uint8Array.of(Number(value)));
      });
    });
    return bytesToHex(new StateTrie(EMPTY_TRIE_ROOT, nodes.loadNode, nodes.storeNode).apply(world));
  }

  check(): void {
    this.#model.forEach((account, index) => {
      const have = this.#world.getAccount(address(index));
      assert.equal(have === undefined, account === undefined);
      assert.equal(have?.balance ?? 0n, account?.balance ?? 0n);
      assert.equal(bytesToHex(this.#world.getCode(address(index))), account?.code ?? '0x');
      for (let slot = 0; slot < SLOTS; slot++) {
        const value = this.#world.getStorage(address(index), slotKey(slot));
        assert.equal(value[0] ?? 0, Number(account?.slots[slot] ?? 0n));
      }
    });
  }

  finish(): void {
    this.#write(true);
    this.check();
  }
}

test('any sequence of changes, checkpoints and writes gives what copying everything gives', () => {
  fc.assert(
    fc.property(
      fc.array(operation, { maxLength: 60, size: 'max' }),
      fc.boolean(),
      (steps, looksAfterEach) => {
        const comparison = new Comparison();
        for (const step of steps) {
          comparison.apply(step);
          if (looksAfterEach) comparison.check();
        }
        comparison.check();
        comparison.finish();
      },
    ),
    { numRuns: 2_000 },
  );
});

test('an account that is deleted and made again in one block starts without its old storage', () => {
  const nodes = new Nodes();
  const before = new WorldState(new TrieStateView(EMPTY_TRIE_ROOT, nodes));
  before.addBalance(address(0), 1n);
  for (let slot = 0; slot < SLOTS; slot++) before.putStorage(address(0), slotKey(slot), Uint8Array.of(7));
  const root = new StateTrie(EMPTY_TRIE_ROOT, nodes.loadNode, nodes.storeNode).apply(before);

  const world = new WorldState(new TrieStateView(root, nodes));
  world.putAccount(address(0), undefined);
  world.addBalance(address(0), 5n);
  world.putStorage(address(0), slotKey(1), Uint8Array.of(9));
  const after = new StateTrie(root, nodes.loadNode, nodes.storeNode).apply(world);

  const reopened = new WorldState(new TrieStateView(after, nodes));
  assert.deepEqual(reopened.getStorage(address(0), slotKey(0)), EMPTY_BYTES);
  assert.deepEqual(reopened.getStorage(address(0), slotKey(1)), Uint8Array.of(9));
});

test('code that the source does not have is an error', () => {
  const world = new WorldState(new TrieStateView(EMPTY_TRIE_ROOT, new Nodes()));
  world.putAccount(address(0), { ...EMPTY_ACCOUNT, codeHash: keccak256(Uint8Array.of(1)) });
  assert.throws(() => world.getCode(address(0)), /missing code/);
});
