import type { AccountFields, StateManagerInterface } from '@ethereumjs/common';
import { type Address, Account as LibraryAccount } from '@ethereumjs/util';
import { trimLeadingZeros } from '../../primitives/bytes.ts';
import { bytesToHex } from '../../primitives/hex.ts';
import type { WorldState } from '../state/world-state.ts';

/** Values that slots had when the transaction began (EIP-2200). */
class OriginalStorage {
  readonly #values = new Map<string, Uint8Array>();
  readonly #read: (address: Uint8Array, slot: Uint8Array) => Uint8Array;

  constructor(read: (address: Uint8Array, slot: Uint8Array) => Uint8Array) {
    this.#read = read;
  }

  /** The library asks before it writes: the first answer is the original one. */
  async get(address: Address, slot: Uint8Array): Promise<Uint8Array> {
    const key = bytesToHex(address.bytes) + bytesToHex(slot);
    let value = this.#values.get(key);
    if (value === undefined) {
      value = this.#read(address.bytes, slot);
      this.#values.set(key, value);
    }
    return value;
  }

  clear(): void {
    this.#values.clear();
  }
}

/** Lets the library's interpreter work on a `WorldState`; which one may change between messages. */
export class StateAdapter implements StateManagerInterface {
  #world: WorldState | undefined;
  readonly originalStorageCache: OriginalStorage = new OriginalStorage((address, slot) =>
    this.#state.getStorage(address, slot),
  );

  attach(world: WorldState): void {
    this.#world = world;
    this.originalStorageCache.clear();
  }

  get #state(): WorldState {
    if (this.#world === undefined) throw new Error('no state attached');
    return this.#world;
  }

  async getAccount(address: Address): Promise<LibraryAccount | undefined> {
    const account = this.#state.getAccount(address.bytes);
    return (
      account && new LibraryAccount(account.nonce, account.balance, account.storageRoot, account.codeHash)
    );
  }

  async putAccount(address: Address, account?: LibraryAccount): Promise<void> {
    this.#state.putAccount(
      address.bytes,
      account && {
        nonce: account.nonce,
        balance: account.balance,
        storageRoot: account.storageRoot,
        codeHash: account.codeHash,
      },
    );
  }

  async deleteAccount(address: Address): Promise<void> {
    this.#state.putAccount(address.bytes, undefined);
  }

  async modifyAccountFields(address: Address, fields: AccountFields): Promise<void> {
    const account = (await this.getAccount(address)) ?? new LibraryAccount();
    account.nonce = fields.nonce ?? account.nonce;
    account.balance = fields.balance ?? account.balance;
    account.storageRoot = fields.storageRoot ?? account.storageRoot;
    account.codeHash = fields.codeHash ?? account.codeHash;
    await this.putAccount(address, account);
  }

  async putCode(address: Address, code: Uint8Array): Promise<void> {
    this.#state.putCode(address.bytes, code);
  }

  async getCode(address: Address): Promise<Uint8Array> {
    return this.#state.getCode(address.bytes);
  }

  async getCodeSize(address: Address): Promise<number> {
    return this.#state.getCode(address.bytes).length;
  }

  async getStorage(address: Address, slot: Uint8Array): Promise<Uint8Array> {
    return this.#state.getStorage(address.bytes, slot);
  }

  async putStorage(address: Address, slot: Uint8Array, value: Uint8Array): Promise<void> {
    this.#state.putStorage(address.bytes, slot, trimLeadingZeros(value));
  }

  async clearStorage(address: Address): Promise<void> {
    this.#state.clearStorage(address.bytes);
  }

  async checkpoint(): Promise<void> {
    this.#state.checkpoint();
  }

  async commit(): Promise<void> {
    this.#state.commit();
  }

  async revert(): Promise<void> {
    this.#state.rollback();
  }

  clearCaches(): void {
    this.originalStorageCache.clear();
  }

  async getStateRoot(): Promise<Uint8Array> {
    throw new Error('the state root is computed by the block executor');
  }

  async setStateRoot(): Promise<void> {
    throw new Error('the state is chosen by attach');
  }

  async hasStateRoot(): Promise<boolean> {
    throw new Error('the state root is computed by the block executor');
  }

  shallowCopy(): StateManagerInterface {
    throw new Error('a state adapter is not copied');
  }
}
