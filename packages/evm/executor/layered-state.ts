import { EMPTY_BYTES, trimLeadingZeros } from '../../ethereum/primitives/bytes.ts';
import { bytesToHex } from '../../ethereum/primitives/hex.ts';
import type { PromiseOrValue } from '../../ethereum/primitives/promise-or-value.ts';
import type { AccountState, StateChanges } from '../interpreter/host.ts';
import type { RootedState } from '../transition/execute-block.ts';
import type { StateSource } from './state-source.ts';

/** Thrown by a read whose value is still on its way: the execution starts again once `read` resolves. */
export class PendingRead extends Error {
  readonly read: Promise<void>;

  constructor(read: Promise<void>) {
    super('the state source has not answered yet');
    this.read = read;
  }
}

/** Changes on top of a source. Keys are hex texts; those of slots are address and slot. */
class ChangeLayer {
  readonly accounts = new Map<string, AccountState | undefined>();
  readonly slots = new Map<string, Uint8Array>();
  /** Addresses whose slots below this layer are void. */
  readonly cleared = new Set<string>();
  readonly codes = new Map<string, Uint8Array>();
}

const NO_HASH = new Uint8Array(32);

/**
 * A `StateSource` with changes on top: those of finished transactions, and those of a block under execution, which can still be discarded.
 * Values that came later are cached, since the EVM reads synchronously.
 */
export class LayeredState implements RootedState {
  readonly #source: StateSource;
  readonly #arrived = new Map<string, unknown>();
  readonly #arriving = new Map<string, Promise<void>>();
  /** The account that each code hash was read from. */
  readonly #owners = new Map<string, Uint8Array>();
  #committed = new ChangeLayer();
  #draft = new ChangeLayer();

  /** Whether the source has answered with a promise. */
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
    return trimLeadingZeros(this.#read(key, () => this.#source.getStorage(address, slot)));
  }

  getCode(codeHash: Uint8Array): Uint8Array {
    const key = bytesToHex(codeHash);
    const changed = this.#draft.codes.get(key) ?? this.#committed.codes.get(key);
    if (changed !== undefined) return changed;
    const owner = this.#owners.get(key) ?? EMPTY_BYTES;
    return this.#read(`code ${key}`, () => this.#source.getCode(codeHash, owner));
  }

  getBlockHash(number: bigint): Uint8Array {
    return this.#read(`block ${number}`, () => this.#source.getBlockHash?.(number) ?? NO_HASH);
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

  /** Makes the applied changes permanent. */
  commit(): void {
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
  }

  /** Discards the changes since the last `commit`. */
  discard(): void {
    this.#draft = new ChangeLayer();
  }

  /** Drops all changes and all cached values. */
  reset(): void {
    this.#draft = new ChangeLayer();
    this.#committed = new ChangeLayer();
    this.#arrived.clear();
    this.#owners.clear();
  }

  /** @throws Error: a source has no trie */
  computeRoot(): Uint8Array {
    throw new Error('receipts before Byzantium contain state roots, which a state source does not have');
  }

  #findAccount(key: string, address: Uint8Array): AccountState | undefined {
    for (const { accounts } of [this.#draft, this.#committed])
      if (accounts.has(key)) return accounts.get(key);
    return this.#read(key, () => this.#source.getAccount(address));
  }

  /** @throws PendingRead when the value comes later */
  #read<T>(key: string, ask: () => PromiseOrValue<T>): T {
    if (this.#arrived.has(key)) return this.#arrived.get(key) as T;
    const asked = this.#arriving.get(key);
    if (asked !== undefined) throw new PendingRead(asked);
    const value = ask();
    if (!(value instanceof Promise)) return value;
    this.isAsynchronous = true;
    const arriving = value
      .then((arrived) => void this.#arrived.set(key, arrived))
      .finally(() => this.#arriving.delete(key));
    this.#arriving.set(key, arriving);
    throw new PendingRead(arriving);
  }
}
