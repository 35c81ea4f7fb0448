import { bytesEqual, EMPTY_BYTES } from '../../primitives/bytes.ts';
import { bytesToHex } from '../../primitives/hex.ts';
import { EMPTY_CODE_HASH, EMPTY_TRIE_ROOT, keccak256 } from '../../primitives/keccak.ts';
import { type Account, EMPTY_ACCOUNT } from './account.ts';
import type { StateView } from './state-view.ts';

type AddressKey = string;
type SlotKey = string;

/** What is known of an account: read from the view below, or written since. */
type Entry = {
  readonly address: Uint8Array;
  account: Account | undefined;
  /** Values by slot, without leading zeros. Slots that are not here are read below `account.storageRoot`. */
  storage: Map<SlotKey, Uint8Array>;
  dirtySlots: Set<SlotKey>;
};

/** A changed account, for whoever writes it into a trie. Storage is relative to `account.storageRoot`. */
export type AccountChange = {
  readonly address: Uint8Array;
  readonly account: Account | undefined;
  readonly storage: readonly (readonly [slot: SlotKey, value: Uint8Array])[];
};

/**
 * State over a view that never changes: reads go through, writes stay here. Checkpoints nest; rolling one
 * back runs the undo steps since it in reverse order.
 */
export class WorldState {
  readonly #view: StateView;
  readonly #entries = new Map<AddressKey, Entry>();
  readonly #codes = new Map<string, Uint8Array>();
  #dirty = new Set<AddressKey>();
  readonly #undo: (() => void)[] = [];
  readonly #checkpoints: number[] = [];

  constructor(view: StateView) {
    this.#view = view;
  }

  getAccount(address: Uint8Array): Account | undefined {
    return this.#entry(address).account;
  }

  /** Sets the account; undefined deletes it together with its storage. */
  putAccount(address: Uint8Array, account: Account | undefined): void {
    const entry = this.#entry(address);
    const { account: previous } = entry;
    this.#undo.push(() => {
      entry.account = previous;
    });
    entry.account = account;
    if (account === undefined) this.#wipeStorage(entry);
    this.#markDirty(address);
  }

  addBalance(address: Uint8Array, amount: bigint): void {
    const account = this.getAccount(address) ?? EMPTY_ACCOUNT;
    this.putAccount(address, { ...account, balance: account.balance + amount });
  }

  getCode(address: Uint8Array): Uint8Array {
    const codeHash = this.getAccount(address)?.codeHash;
    if (codeHash === undefined || bytesEqual(codeHash, EMPTY_CODE_HASH)) return EMPTY_BYTES;
    return this.#codes.get(bytesToHex(codeHash)) ?? this.#view.getCode(codeHash);
  }

  putCode(address: Uint8Array, code: Uint8Array): void {
    const codeHash = code.length === 0 ? EMPTY_CODE_HASH : keccak256(code);
    if (code.length > 0) this.#codes.set(bytesToHex(codeHash), code);
    this.putAccount(address, { ...(this.getAccount(address) ?? EMPTY_ACCOUNT), codeHash });
  }

  /** The value without leading zeros. */
  getStorage(address: Uint8Array, slot: Uint8Array): Uint8Array {
    const entry = this.#entry(address);
    const key = bytesToHex(slot);
    let value = entry.storage.get(key);
    if (value === undefined) {
      const root = entry.account?.storageRoot ?? EMPTY_TRIE_ROOT;
      value = bytesEqual(root, EMPTY_TRIE_ROOT) ? EMPTY_BYTES : this.#view.getStorage(root, slot);
      entry.storage.set(key, value);
    }
    return value;
  }

  /** `value` must be without leading zeros. */
  putStorage(address: Uint8Array, slot: Uint8Array, value: Uint8Array): void {
    const previous = this.getStorage(address, slot);
    const entry = this.#entry(address);
    const { storage, dirtySlots } = entry;
    const key = bytesToHex(slot);
    const wasDirty = dirtySlots.has(key);
    this.#undo.push(() => {
      storage.set(key, previous);
      if (!wasDirty) dirtySlots.delete(key);
    });
    storage.set(key, value);
    dirtySlots.add(key);
    this.#markDirty(address);
  }

  /** Forgets all storage of an account, stored or not. */
  clearStorage(address: Uint8Array): void {
    const entry = this.#entry(address);
    const { account } = entry;
    this.#wipeStorage(entry);
    if (account !== undefined) this.putAccount(address, { ...account, storageRoot: EMPTY_TRIE_ROOT });
  }

  checkpoint(): void {
    this.#checkpoints.push(this.#undo.length);
  }

  commit(): void {
    this.#checkpoints.pop();
    if (this.#checkpoints.length === 0) this.#undo.length = 0;
  }

  rollback(): void {
    const length = this.#checkpoints.pop() ?? 0;
    while (this.#undo.length > length) this.#undo.pop()?.();
  }

  /** Codes written since the start, by their hash in hex. */
  get codes(): ReadonlyMap<string, Uint8Array> {
    return this.#codes;
  }

  /**
   * Hands every changed account to `apply`, which answers with the account's new storage root, and
   * considers them stored. No checkpoint may be open.
   */
  flush(apply: (change: AccountChange) => Uint8Array): void {
    for (const key of this.#dirty) {
      const entry = this.#entries.get(key) as Entry;
      const storage = [...entry.dirtySlots].map(
        (slot) => [slot, entry.storage.get(slot) as Uint8Array] as const,
      );
      const storageRoot = apply({ address: entry.address, account: entry.account, storage });
      if (entry.account !== undefined) entry.account = { ...entry.account, storageRoot };
      entry.dirtySlots.clear();
    }
    this.#dirty = new Set();
    this.#undo.length = 0;
  }

  #entry(address: Uint8Array): Entry {
    const key = bytesToHex(address);
    let entry = this.#entries.get(key);
    if (entry === undefined) {
      const account = this.#view.getAccount(address);
      entry = { address: address.slice(), account, storage: new Map(), dirtySlots: new Set() };
      this.#entries.set(key, entry);
    }
    return entry;
  }

  #wipeStorage(entry: Entry): void {
    const { storage, dirtySlots } = entry;
    this.#undo.push(() => {
      entry.storage = storage;
      entry.dirtySlots = dirtySlots;
    });
    entry.storage = new Map();
    entry.dirtySlots = new Set();
  }

  /** Dirt is never undone: writing an unchanged account again does no harm. */
  #markDirty(address: Uint8Array): void {
    this.#dirty.add(bytesToHex(address));
  }
}
