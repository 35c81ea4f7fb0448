import type { AccountFields, StateManagerInterface } from '@ethereumjs/common';
import { type Address, Account as LibraryAccount, type PrefixedHexString } from '@ethereumjs/util';
import {
  bigIntToBytes,
  bytesToBigInt,
  EMPTY_BYTES,
  trimLeadingZeros,
} from '../../../packages/ethereum/primitives/bytes.ts';
import { EMPTY_CODE_HASH, EMPTY_TRIE_ROOT, keccak256 } from '../../../packages/ethereum/primitives/keccak.ts';
import type { AddressText, FuzzAccount } from '../fuzz-case.ts';

type Entry = {
  nonce: bigint;
  balance: bigint;
  code: Uint8Array;
  /** Replaced and never mutated: older copies of the entry keep their map. */
  storage: ReadonlyMap<bigint, bigint>;
};

type UndoStep = readonly [address: AddressText, before: Entry | undefined];

/** Placeholder for the root of any storage that is not empty. */
const SOME_ROOT = new Uint8Array(32).fill(0x11);

const codeHashes = new WeakMap<Uint8Array, Uint8Array>();

/** Hashes each code array once, for its lifetime. */
function hashOf(code: Uint8Array): Uint8Array {
  if (code.length === 0) return EMPTY_CODE_HASH;
  let hash = codeHashes.get(code);
  if (hash === undefined) {
    hash = keccak256(code);
    codeHashes.set(code, hash);
  }
  return hash;
}

/** In-memory state for one case at a time. A rollback restores the entries from before each write. */
export class OracleState implements StateManagerInterface {
  #before: ReadonlyMap<AddressText, FuzzAccount> = new Map();
  #entries = new Map<AddressText, Entry>();
  readonly #undo: UndoStep[] = [];
  readonly #checkpoints: number[] = [];

  /** Values of slots before the transaction (EIP-2200); `clear` begins a new transaction. */
  readonly originalStorageCache: {
    get(address: Address, slot: Uint8Array): Promise<Uint8Array>;
    clear(): void;
  } = {
    get: async (address, slot) =>
      bigIntToBytes(this.#before.get(address.toString())?.storage.get(bytesToBigInt(slot)) ?? 0n),
    clear: () => {
      this.#before = new Map(this.#entries);
    },
  };

  /** Resets the state to these accounts. */
  load(accounts: ReadonlyMap<AddressText, FuzzAccount>): void {
    this.#before = accounts;
    this.#entries = new Map(accounts);
    this.#undo.length = 0;
    this.#checkpoints.length = 0;
  }

  get accounts(): ReadonlyMap<AddressText, FuzzAccount> {
    return this.#entries;
  }

  #put(address: AddressText, entry: Entry | undefined): void {
    this.#undo.push([address, this.#entries.get(address)]);
    if (entry === undefined) this.#entries.delete(address);
    else this.#entries.set(address, entry);
  }

  async getAccount(address: Address): Promise<LibraryAccount | undefined> {
    const entry = this.#entries.get(address.toString());
    if (entry === undefined) return undefined;
    const root = entry.storage.size === 0 ? EMPTY_TRIE_ROOT : SOME_ROOT;
    return new LibraryAccount(entry.nonce, entry.balance, root, hashOf(entry.code));
  }

  /** Writes an account; code and storage have separate setters, so those of an existing account stay unchanged. */
  async putAccount(address: Address, account?: LibraryAccount): Promise<void> {
    const key = address.toString();
    if (account === undefined) {
      this.#put(key, undefined);
      return;
    }
    const { code = EMPTY_BYTES, storage = new Map() } = this.#entries.get(key) ?? {};
    this.#put(key, { nonce: account.nonce, balance: account.balance, code, storage });
  }

  async deleteAccount(address: Address): Promise<void> {
    this.#put(address.toString(), undefined);
  }

  async modifyAccountFields(address: Address, fields: AccountFields): Promise<void> {
    const key = address.toString();
    const entry = this.#entry(key);
    this.#put(key, {
      ...entry,
      nonce: fields.nonce ?? entry.nonce,
      balance: fields.balance ?? entry.balance,
    });
  }

  #entry(address: PrefixedHexString): Entry {
    return this.#entries.get(address) ?? { nonce: 0n, balance: 0n, code: EMPTY_BYTES, storage: new Map() };
  }

  async putCode(address: Address, code: Uint8Array): Promise<void> {
    const key = address.toString();
    this.#put(key, { ...this.#entry(key), code });
  }

  async getCode(address: Address): Promise<Uint8Array> {
    return this.#entries.get(address.toString())?.code ?? EMPTY_BYTES;
  }

  async getCodeSize(address: Address): Promise<number> {
    return (await this.getCode(address)).length;
  }

  async getStorage(address: Address, slot: Uint8Array): Promise<Uint8Array> {
    const value = this.#entries.get(address.toString())?.storage.get(bytesToBigInt(slot));
    return value === undefined ? EMPTY_BYTES : bigIntToBytes(value);
  }

  async putStorage(address: Address, slot: Uint8Array, value: Uint8Array): Promise<void> {
    const key = address.toString();
    const entry = this.#entry(key);
    const storage = new Map(entry.storage);
    const trimmed = trimLeadingZeros(value);
    if (trimmed.length === 0) storage.delete(bytesToBigInt(slot));
    else storage.set(bytesToBigInt(slot), bytesToBigInt(trimmed));
    this.#put(key, { ...entry, storage });
  }

  async clearStorage(address: Address): Promise<void> {
    const key = address.toString();
    const entry = this.#entries.get(key);
    if (entry !== undefined && entry.storage.size > 0) this.#put(key, { ...entry, storage: new Map() });
  }

  async checkpoint(): Promise<void> {
    this.#checkpoints.push(this.#undo.length);
  }

  async commit(): Promise<void> {
    this.#checkpoints.pop();
  }

  async revert(): Promise<void> {
    const length = this.#checkpoints.pop() ?? 0;
    while (this.#undo.length > length) {
      const [address, entry] = this.#undo.pop() as UndoStep;
      if (entry === undefined) this.#entries.delete(address);
      else this.#entries.set(address, entry);
    }
  }

  clearCaches(): void {}

  /** Returns a placeholder root: the oracle has no tries. */
  async getStateRoot(): Promise<Uint8Array> {
    return SOME_ROOT;
  }

  async setStateRoot(): Promise<void> {
    throw new Error('the oracle has no tries');
  }

  async hasStateRoot(): Promise<boolean> {
    throw new Error('the oracle has no tries');
  }

  shallowCopy(): StateManagerInterface {
    throw new Error('the oracle state is not copied');
  }
}
