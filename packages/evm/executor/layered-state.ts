import { EMPTY_BYTES, trimLeadingZeros } from '../../ethereum/primitives/bytes.ts';
import { bytesToHex, hexToBytes } from '../../ethereum/primitives/hex.ts';
import type { PromiseOrValue } from '../../ethereum/primitives/promise-or-value.ts';
import type { AccountState, StateChanges } from '../interpreter/host.ts';
import type { RootedState } from '../transition/execute-block.ts';
import { requireBytes, requireSourceAccount, requireSourceCode, requireSourceWord } from './check-values.ts';
import type { StateSource } from './state-source.ts';

/** Changes of one account, in the form in which they are written to a source. */
export type SourceChange = {
  /** 20 bytes. */
  readonly address: Uint8Array;
  /** State after the changes; undefined when the account and its storage no longer exist. */
  readonly account: AccountState | undefined;
  /** True when all earlier slots are removed and `storage` is the complete storage. */
  readonly isStorageCleared: boolean;
  /** Changed slots (32 bytes) and their values without leading zeros; an empty value removes the slot. */
  readonly storage: readonly (readonly [slot: Uint8Array, value: Uint8Array])[];
};

export type SourceChanges = {
  readonly accounts: readonly SourceChange[];
  /** Deployed codes by their hashes. */
  readonly codes: readonly (readonly [codeHash: Uint8Array, code: Uint8Array])[];
};

/** Thrown by a read whose value the source has not returned yet. When the promise `read` resolves, the execution starts again. */
export class PendingRead extends Error {
  readonly read: Promise<void>;

  constructor(read: Promise<void>) {
    super('the state source has not answered yet');
    this.read = read;
  }
}

/** Changes on top of a source. Keys are hexadecimal; the key of a slot is the account's address followed by the slot. */
class ChangeLayer {
  readonly accounts = new Map<string, AccountState | undefined>();
  readonly slots = new Map<string, Uint8Array>();
  /** Addresses of accounts whose slots in lower layers no longer apply. */
  readonly cleared = new Set<string>();
  readonly codes = new Map<string, Uint8Array>();
}

/** Length of a hexadecimal address: `0x` and 20 bytes. */
const ADDRESS_CHARACTERS = 42;
const HASH_BYTES = 32;
const NO_HASH = new Uint8Array(HASH_BYTES);

/**
 * A `StateSource` with two layers of changes on top. Changes of a block under execution can still be discarded; committed changes are permanent.
 * Values that the source returns through promises are cached, since the EVM reads synchronously.
 */
export class LayeredState implements RootedState {
  readonly #source: StateSource;
  readonly #arrived = new Map<string, unknown>();
  readonly #arriving = new Map<string, Promise<void>>();
  /** By code hash: address of the account that was last read with this hash. */
  readonly #owners = new Map<string, Uint8Array>();
  #committed = new ChangeLayer();
  #draft = new ChangeLayer();

  /** Whether the source has returned a promise. */
  isAsynchronous = false;

  constructor(source: StateSource) {
    this.#source = source;
  }

  getAccount(address: Uint8Array): AccountState | undefined {
    const key = bytesToHex(address);
    const account = this.#findAccount(key, address);
    if (account !== undefined) this.#owners.set(bytesToHex(account.codeHash), address);
    return account;
  }

  getStorage(address: Uint8Array, slot: Uint8Array): Uint8Array {
    const [owner, key] = [bytesToHex(address), bytesToHex(address) + bytesToHex(slot)];
    for (const layer of [this.#draft, this.#committed]) {
      const value = layer.slots.get(key);
      if (value !== undefined) return value;
      if (layer.cleared.has(owner)) return EMPTY_BYTES;
    }
    return trimLeadingZeros(this.#read(key, () => this.#source.getStorage(address, slot), requireSourceWord));
  }

  getCode(codeHash: Uint8Array): Uint8Array {
    const key = bytesToHex(codeHash);
    const changed = this.#draft.codes.get(key) ?? this.#committed.codes.get(key);
    if (changed !== undefined) return changed;
    const owner = this.#owners.get(key) ?? EMPTY_BYTES;
    const check = (code: Uint8Array): Uint8Array => requireSourceCode(code, codeHash);
    return this.#read(`code ${key}`, () => this.#source.getCode(codeHash, owner), check);
  }

  getBlockHash(number: bigint): Uint8Array {
    const check = (hash: Uint8Array): Uint8Array => {
      requireBytes(hash, 'state source: block hash', HASH_BYTES);
      return hash;
    };
    return this.#read(`block ${number}`, () => this.#source.getBlockHash?.(number) ?? NO_HASH, check);
  }

  apply({ accounts, codes }: StateChanges): void {
    const layer = this.#draft;
    for (const { address, account, isStorageCleared, storage } of accounts) {
      const key = bytesToHex(address);
      const isCleared = account === undefined || isStorageCleared;
      const hadStorage = !isCleared && this.#findAccount(key, address)?.hasStorage === true;
      if (isCleared) {
        layer.cleared.add(key);
        for (const slot of layer.slots.keys()) if (slot.startsWith(key)) layer.slots.delete(slot);
      }
      for (const [slot, value] of storage) layer.slots.set(key + bytesToHex(slot), value);
      const hasStorage = hadStorage || storage.some(([, value]) => value.length > 0);
      layer.accounts.set(key, account && { ...account, hasStorage });
    }
    for (const [hash, code] of codes) layer.codes.set(bytesToHex(hash), code);
  }

  /** Commits the changes applied since the last `commit`. @returns the changes, in the form in which they are written to a source */
  commit(): SourceChanges {
    const changes = this.#describeDraft();
    const { accounts, slots, cleared, codes } = this.#draft;
    const base = this.#committed;
    for (const key of cleared) {
      base.cleared.add(key);
      for (const slot of base.slots.keys()) if (slot.startsWith(key)) base.slots.delete(slot);
    }
    for (const [key, account] of accounts) base.accounts.set(key, account);
    for (const [key, value] of slots) base.slots.set(key, value);
    for (const [key, code] of codes) base.codes.set(key, code);
    this.#draft = new ChangeLayer();
    return changes;
  }

  /** Discards the changes since the last `commit`. */
  discard(): void {
    this.#draft = new ChangeLayer();
  }

  #describeDraft(): SourceChanges {
    const { accounts, slots, cleared, codes } = this.#draft;
    const storageOf = new Map<string, [slot: Uint8Array, value: Uint8Array][]>();
    for (const [key, value] of slots) {
      const owner = key.slice(0, ADDRESS_CHARACTERS);
      const list = storageOf.get(owner) ?? [];
      storageOf.set(owner, list);
      list.push([hexToBytes(key.slice(ADDRESS_CHARACTERS)), value]);
    }
    const changed: SourceChange[] = [];
    for (const [key, account] of accounts) {
      const address = hexToBytes(key);
      // The EVM can touch an account that never existed, for example a beneficiary without fees. The source does not have that account, so there
      // is nothing to remove from the source.
      if (account === undefined && this.#findBelow(key, address) === undefined) continue;
      const storage = account === undefined ? [] : (storageOf.get(key) ?? []);
      changed.push({ address, account, isStorageCleared: cleared.has(key), storage });
    }
    return { accounts: changed, codes: [...codes].map(([hash, code]) => [hexToBytes(hash), code]) };
  }

  /** Drops all changes and all cached values. */
  reset(): void {
    this.#draft = new ChangeLayer();
    this.#committed = new ChangeLayer();
    this.#arrived.clear();
    this.#owners.clear();
  }

  /** @throws Error always, since a source has no trie */
  computeRoot(): Uint8Array {
    throw new Error('receipts before Byzantium contain state roots, which a state source does not have');
  }

  #findAccount(key: string, address: Uint8Array): AccountState | undefined {
    return this.#draft.accounts.has(key) ? this.#draft.accounts.get(key) : this.#findBelow(key, address);
  }

  /** Returns an account from the committed changes or the source. */
  #findBelow(key: string, address: Uint8Array): AccountState | undefined {
    if (this.#committed.accounts.has(key)) return this.#committed.accounts.get(key);
    return this.#read(key, () => this.#source.getAccount(address), requireSourceAccount);
  }

  /**
   * @param check returns a valid value, and throws for an invalid one
   * @throws PendingRead when the source returns a promise
   */
  #read<T>(key: string, ask: () => PromiseOrValue<T>, check: (value: T) => T): T {
    if (this.#arrived.has(key)) return this.#arrived.get(key) as T;
    const asked = this.#arriving.get(key);
    if (asked !== undefined) throw new PendingRead(asked);
    const value = ask();
    if (!(value instanceof Promise)) return check(value);
    this.isAsynchronous = true;
    const arriving = value
      .then((arrived) => void this.#arrived.set(key, check(arrived)))
      .finally(() => this.#arriving.delete(key));
    this.#arriving.set(key, arriving);
    throw new PendingRead(arriving);
  }
}
