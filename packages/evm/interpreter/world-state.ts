import { ENTRY, EXCHANGE_WORDS, SLOT_FIELD } from './core-interface.ts';
import type { CoreMemory } from './core-memory.ts';
import type { CoreExports } from './core-module.ts';
import type { AccountChange, AccountState, StateChanges, StateReader } from './host.ts';

const { requestAddress, requestKey, wordA, wordB } = EXCHANGE_WORDS;

/**
 * Error: a region of the core's memory is full and has no room for the state that a message uses. The text of this error is also the text of a
 * message that halts because a region is full.
 */
export class StateLimitError extends Error {
  constructor() {
    super('out of gas: memory limit of this service exceeded');
    this.name = 'StateLimitError';
  }
}

/**
 * State in the core's tables on top of a `StateReader`. Reads are cached. Writes stay in the tables until they are collected or undone. Addresses are
 * 20 bytes, slots and hashes 32.
 */
export class WorldState {
  readonly #core: CoreExports;
  readonly #memory: CoreMemory;
  #reader: StateReader;

  constructor(core: CoreExports, memory: CoreMemory, reader: StateReader) {
    this.#core = core;
    this.#memory = memory;
    this.#reader = reader;
  }

  /** Sets the underlying state. Before the call, the core's tables must be cleared, or contain data of the same state. */
  attach(reader: StateReader): void {
    this.#reader = reader;
  }

  getAccount(address: Uint8Array): Omit<AccountState, 'hasStorage'> | undefined {
    return this.#read(this.#entry(address));
  }

  getBalance(address: Uint8Array): bigint {
    return this.#memory.readInteger(this.#core.accountBalance(this.#entry(address)));
  }

  getNonce(address: Uint8Array): bigint {
    return BigInt.asUintN(64, this.#core.accountNonce(this.#entry(address)));
  }

  setBalance(address: Uint8Array, balance: bigint): void {
    const account = this.#existing(address);
    this.#memory.writeInteger(wordA, balance);
    this.#core.setAccountBalance(account);
  }

  /** Adds to the balance, or subtracts a negative amount; the account counts as touched (EIP-161). */
  addBalance(address: Uint8Array, amount: bigint): void {
    const account = this.#existing(address);
    this.#core.touchAccount(account);
    if (amount === 0n) return;
    const balance = this.#memory.readInteger(this.#core.accountBalance(account)) + amount;
    this.#memory.writeInteger(wordA, balance);
    this.#core.setAccountBalance(account);
  }

  setNonce(address: Uint8Array, nonce: bigint): void {
    this.#core.setAccountNonce(this.#existing(address), nonce);
  }

  /** Raises the nonce of a transaction's sender; the account counts as touched. */
  raiseNonce(address: Uint8Array): void {
    this.#core.raiseNonce(this.#existing(address));
  }

  /** Loads an account. @throws StateLimitError when the region is full */
  load(address: Uint8Array): void {
    this.#entry(address);
  }

  hasCode(address: Uint8Array): boolean {
    return this.#core.accountHasCode(this.#entry(address)) !== 0;
  }

  getCode(address: Uint8Array): Uint8Array {
    const account = this.#entry(address);
    if (this.#core.accountHasCode(account) === 0) return new Uint8Array(0);
    const code = this.#codeOf(account);
    return this.#memory.slice(code, this.#core.accountCodeLength(account));
  }

  /** Returns the size of an account's code, bytes, without copying it. */
  getCodeSize(address: Uint8Array): number {
    const account = this.#entry(address);
    if (this.#core.accountHasCode(account) === 0) return 0;
    this.#codeOf(account);
    return this.#core.accountCodeLength(account);
  }

  /** Returns the address in the core's memory of an account's code, which must not be empty. */
  #codeOf(account: number): number {
    const code = this.#core.accountCode(account);
    if (code !== 0) return code;
    const hash = this.#memory.readWord(this.#core.accountCodeHash(account));
    this.supplyCode(hash, this.#reader.getCode(hash));
    return this.#core.accountCode(account);
  }

  /** @param codeHash keccak256 of `code` */
  setCode(address: Uint8Array, codeHash: Uint8Array, code: Uint8Array): void {
    const account = this.#existing(address);
    if (code.length > 0) this.supplyCode(codeHash, code);
    this.#memory.writeWord(requestKey, codeHash);
    this.#core.setAccountCode(account);
  }

  getStorage(address: Uint8Array, slot: Uint8Array): Uint8Array {
    return this.#memory.readTrimmed(this.#slot(address, slot) + SLOT_FIELD.value);
  }

  setStorage(address: Uint8Array, slot: Uint8Array, value: Uint8Array): void {
    this.#existing(address);
    const pointer = this.#slot(address, slot);
    this.#memory.writeWord(wordA, value);
    this.#core.setStorage(pointer);
  }

  /** Sets all slots of the account to zero. */
  clearStorage(address: Uint8Array): void {
    this.#core.clearAccountStorage(this.#existing(address));
  }

  /** Warms an account before the message begins (EIP-2929). @throws StateLimitError when a region is full */
  warm(address: Uint8Array): void {
    this.#memory.writeWord(requestAddress, address);
    if (this.#core.warmAccount(this.#find()) === 0) throw new StateLimitError();
  }

  /** @throws StateLimitError when a region is full */
  warmSlot(address: Uint8Array, slot: Uint8Array): void {
    this.#memory.writeWord(requestAddress, address);
    const account = this.#find();
    this.#memory.writeWord(requestKey, slot);
    if (this.#core.warmAccountSlot(account) === 0) throw new StateLimitError();
  }

  /** Returns the number of the precompile at an address under the active rules (18 for 0x100); 0: none. */
  getPrecompile(address: Uint8Array): number {
    return this.#core.accountPrecompile(this.#entry(address));
  }

  setPrecompile(address: Uint8Array, number: number): void {
    this.#core.setAccountPrecompile(this.#entry(address), number);
  }

  /** Restores the precompile that the rules define at an address, after overrides. No transaction may be open. */
  restorePrecompile(address: Uint8Array): void {
    this.#core.restoreAccountPrecompile(this.#entry(address));
  }

  /** Supplies the account that the core requests (REQUEST_ADDRESS). */
  supplyAccount(): void {
    this.#load(this.#find(), this.#memory.readWord(requestAddress, 20));
  }

  /** Supplies the slot that the core requests (REQUEST_ADDRESS, REQUEST_KEY). */
  supplySlot(): void {
    this.#loadSlot(this.#memory.readWord(requestAddress, 20), this.#memory.readWord(requestKey));
  }

  /** Supplies the code that the core requests (REQUEST_KEY). @returns the length of the code, bytes */
  supplyRequestedCode(): number {
    const hash = this.#memory.readWord(requestKey);
    const code = this.#reader.getCode(hash);
    this.supplyCode(hash, code);
    return code.length;
  }

  /** @throws StateLimitError when the region is full */
  supplyCode(codeHash: Uint8Array, code: Uint8Array): void {
    this.#memory.writeWord(requestKey, codeHash);
    const pointer = this.#core.supplyCode(code.length);
    if (pointer === 0) throw new StateLimitError();
    this.#memory.bytes.set(code, pointer);
  }

  /**
   * Returns all changes since the last call. From then on, the core treats the returned changes as part of the underlying state. No transaction may
   * be open.
   */
  collectChanges(): StateChanges {
    const slots = this.#collectSlots();
    const accounts: AccountChange[] = [];
    const codes = new Map<number, readonly [Uint8Array, Uint8Array]>();
    const count = this.#core.changedAccounts();
    for (let n = 0; n < count; n++) {
      const pointer = this.#core.changedAccount(n);
      const account = this.#read(pointer);
      accounts.push({
        address: this.#memory.readWord(pointer, 20),
        account,
        isStorageCleared: this.#core.storageWasCleared(pointer) !== 0,
        storage: account === undefined ? [] : (slots.get(pointer) ?? []),
      });
      slots.delete(pointer);
      if (
        account === undefined ||
        this.#core.codeIsNew(pointer) === 0 ||
        this.#core.accountHasCode(pointer) === 0
      )
        continue;
      const code = this.#core.accountCode(pointer);
      codes.set(code, [account.codeHash, this.#memory.slice(code, this.#core.accountCodeLength(pointer))]);
    }
    for (const [pointer, storage] of slots) {
      const account = this.#read(pointer);
      if (account === undefined) continue;
      accounts.push({
        address: this.#memory.readWord(pointer, 20),
        account,
        isStorageCleared: false,
        storage,
      });
    }
    this.#core.settle();
    return { accounts, codes: [...codes.values()] };
  }

  #collectSlots(): Map<number, [Uint8Array, Uint8Array][]> {
    const byAccount = new Map<number, [Uint8Array, Uint8Array][]>();
    for (let slot = this.#core.firstChangedSlot(); slot !== 0; slot = this.#core.nextChangedSlot(slot)) {
      const owner = this.#core.changedSlotOwner(slot);
      if (owner === 0) continue;
      let list = byAccount.get(owner);
      if (list === undefined) {
        list = [];
        byAccount.set(owner, list);
      }
      list.push([
        this.#memory.readWord(slot + SLOT_FIELD.key),
        this.#memory.readTrimmed(slot + SLOT_FIELD.value),
      ]);
    }
    return byAccount;
  }

  #read(pointer: number): Omit<AccountState, 'hasStorage'> | undefined {
    if (this.#core.accountExists(pointer) === 0) return undefined;
    return {
      nonce: BigInt.asUintN(64, this.#core.accountNonce(pointer)),
      balance: this.#memory.readInteger(this.#core.accountBalance(pointer)),
      codeHash: this.#memory.readWord(this.#core.accountCodeHash(pointer)),
    };
  }

  #find(): number {
    const account = this.#core.accountEntry();
    if (account === 0) throw new StateLimitError();
    return account;
  }

  /** Returns the loaded entry of an account. */
  #entry(address: Uint8Array): number {
    this.#memory.writeWord(requestAddress, address);
    const account = this.#find();
    if (this.#core.accountIsKnown(account) === 0) this.#load(account, address);
    return account;
  }

  #existing(address: Uint8Array): number {
    this.#memory.writeWord(requestAddress, address);
    let account = this.#core.existingAccount();
    if (account === ENTRY.unknown) {
      this.#load(this.#find(), address);
      account = this.#core.existingAccount();
    }
    if (account === ENTRY.none) throw new StateLimitError();
    return account;
  }

  #load(account: number, address: Uint8Array): void {
    const state = this.#reader.getAccount(address);
    if (state === undefined) {
      this.#core.supplyAccount(account, 0, 0n, 0);
      return;
    }
    this.#memory.writeInteger(wordA, state.balance);
    this.#memory.writeWord(wordB, state.codeHash);
    this.#core.supplyAccount(account, 1, state.nonce, state.hasStorage ? 1 : 0);
  }

  #slot(address: Uint8Array, slot: Uint8Array): number {
    const account = this.#entry(address);
    this.#memory.writeWord(requestKey, slot);
    const pointer = this.#core.storageSlot(account);
    if (pointer === 0) throw new StateLimitError();
    if (this.#core.isStorageSlotKnown(pointer) === 0) this.#loadSlot(address, slot);
    return pointer;
  }

  #loadSlot(address: Uint8Array, slot: Uint8Array): void {
    const value = this.#reader.getStorage(address, slot);
    this.#memory.writeWord(requestAddress, address);
    const account = this.#find();
    this.#memory.writeWord(requestKey, slot);
    this.#memory.writeWord(wordA, value);
    if (this.#core.supplySlot(account) === 0) throw new StateLimitError();
  }
}
