/** A whole state as a flat map of accounts, in the form of test files. */

import { EMPTY_BYTES, trimLeadingZeros } from '../../../packages/ethereum/primitives/bytes.ts';
import { bytesToHex, hexToBytes } from '../../../packages/ethereum/primitives/hex.ts';
import { EMPTY_CODE_HASH } from '../../../packages/ethereum/primitives/keccak.ts';
import type { AccountChange, StateChanges, StateReader } from '../../../packages/evm/interpreter/host.ts';
import { hashHex } from './hash-cache.ts';

/** Lower-case hex with `0x`: 20 bytes. */
export type AddressHex = string;
/** Lower-case hex with `0x`: 32 bytes. */
export type WordHex = string;

export type FlatAccount = {
  readonly nonce: bigint;
  readonly balance: bigint;
  readonly codeHash: Uint8Array;
  /** Set slots only; values without leading zeros. */
  readonly storage: ReadonlyMap<WordHex, Uint8Array>;
};

export type FlatState = {
  readonly accounts: ReadonlyMap<AddressHex, FlatAccount>;
  /** Codes by code hash. */
  readonly codes: ReadonlyMap<WordHex, Uint8Array>;
};

/** Accounts in the form of test files and genesis files; any field may be missing. */
export type StateJson = Readonly<
  Record<
    string,
    {
      readonly nonce?: string;
      readonly balance?: string;
      readonly code?: string;
      readonly storage?: Readonly<Record<string, string>>;
    }
  >
>;

const NO_STORAGE: ReadonlyMap<WordHex, Uint8Array> = new Map();

export function parseWord(hex: string): WordHex {
  return `0x${hex.slice(2).toLowerCase().padStart(64, '0')}`;
}

/** Parses hex with any number of digits into a value without leading zeros. */
function parseValue(hex: string): Uint8Array {
  return trimLeadingZeros(hexToBytes(hex.length % 2 === 0 ? hex : `0x0${hex.slice(2)}`));
}

function parseStorage(json: Readonly<Record<string, string>> = {}): ReadonlyMap<WordHex, Uint8Array> {
  const entries = Object.entries(json);
  if (entries.length === 0) return NO_STORAGE;
  const storage = new Map<WordHex, Uint8Array>();
  for (const [slot, hex] of entries) {
    const value = parseValue(hex);
    if (value.length > 0) storage.set(parseWord(slot), value);
  }
  return storage;
}

export function parseState(json: StateJson): FlatState {
  const accounts = new Map<AddressHex, FlatAccount>();
  const codes = new Map<WordHex, Uint8Array>();
  for (const [address, { nonce = '0x0', balance = '0x0', code = '0x', storage }] of Object.entries(json)) {
    const codeHash = code === '0x' ? EMPTY_CODE_HASH : hashHex(code);
    if (code !== '0x') codes.set(bytesToHex(codeHash), hexToBytes(code));
    accounts.set(address.toLowerCase(), {
      nonce: BigInt(nonce),
      balance: BigInt(balance),
      codeHash,
      storage: parseStorage(storage),
    });
  }
  return { accounts, codes };
}

/** Creates the reader through which execution reads the state. */
export function createStateReader({ accounts, codes }: FlatState): StateReader {
  return {
    getAccount(address) {
      const account = accounts.get(bytesToHex(address));
      if (account === undefined) return undefined;
      const { nonce, balance, codeHash, storage } = account;
      return { nonce, balance, codeHash, hasStorage: storage.size > 0 };
    },
    getStorage: (address, slot) =>
      accounts.get(bytesToHex(address))?.storage.get(bytesToHex(slot)) ?? EMPTY_BYTES,
    getCode(codeHash) {
      const code = codes.get(bytesToHex(codeHash));
      if (code === undefined) throw new Error(`no code with hash ${bytesToHex(codeHash)}`);
      return code;
    },
  };
}

/** Returns the state after an execution's changes; the input state stays unchanged. */
export function applyChanges(state: FlatState, changes: StateChanges): FlatState {
  const accounts = new Map(state.accounts);
  for (const change of changes.accounts) {
    const address = bytesToHex(change.address);
    if (change.account === undefined) accounts.delete(address);
    else accounts.set(address, { ...change.account, storage: changeStorage(accounts.get(address), change) });
  }
  const codes = new Map(state.codes);
  for (const [hash, code] of changes.codes) codes.set(bytesToHex(hash), code);
  return { accounts, codes };
}

function changeStorage(
  before: FlatAccount | undefined,
  { isStorageCleared, storage }: AccountChange,
): ReadonlyMap<WordHex, Uint8Array> {
  const cached = isStorageCleared || before === undefined ? NO_STORAGE : before.storage;
  if (storage.length === 0) return cached;
  const after = new Map(cached);
  for (const [slot, value] of storage) {
    if (value.length === 0) after.delete(bytesToHex(slot));
    else after.set(bytesToHex(slot), value);
  }
  return after;
}
