import { bigIntToBytes, bytesToBigInt, EMPTY_BYTES } from '../../packages/ethereum/primitives/bytes.ts';
import { bytesToHex } from '../../packages/ethereum/primitives/hex.ts';
import { EMPTY_CODE_HASH, keccak256 } from '../../packages/ethereum/primitives/keccak.ts';
import type { AccountState, StateChanges, StateReader } from '../../packages/evm/interpreter/host.ts';
import type { AddressText, FuzzAccount } from './fuzz-case.ts';

type Accounts = ReadonlyMap<AddressText, FuzzAccount>;

/** The accounts of a case as a state reader for the engine. */
export class CaseState implements StateReader {
  readonly #accounts: Accounts;
  readonly #codes = new Map<string, Uint8Array>();

  constructor(accounts: Accounts) {
    this.#accounts = accounts;
  }

  getAccount(address: Uint8Array): AccountState | undefined {
    const account = this.#accounts.get(bytesToHex(address));
    if (account === undefined) return undefined;
    const { nonce, balance, code, storage } = account;
    const codeHash = code.length === 0 ? EMPTY_CODE_HASH : keccak256(code);
    this.#codes.set(bytesToHex(codeHash), code);
    return { nonce, balance, codeHash, hasStorage: storage.size > 0 };
  }

  getStorage(address: Uint8Array, slot: Uint8Array): Uint8Array {
    const value = this.#accounts.get(bytesToHex(address))?.storage.get(bytesToBigInt(slot));
    return value === undefined ? EMPTY_BYTES : bigIntToBytes(value);
  }

  getCode(codeHash: Uint8Array): Uint8Array {
    const code = this.#codes.get(bytesToHex(codeHash));
    if (code === undefined) throw new Error(`no account has the code ${bytesToHex(codeHash)}`);
    return code;
  }

  /** Returns the accounts after these changes. */
  after({ accounts: changed, codes }: StateChanges): Accounts {
    const deployed = new Map(codes.map(([hash, code]) => [bytesToHex(hash), code]));
    const accounts = new Map(this.#accounts);
    for (const { address, account, isStorageCleared, storage } of changed) {
      const key = bytesToHex(address);
      if (account === undefined) {
        accounts.delete(key);
        continue;
      }
      const hash = bytesToHex(account.codeHash);
      const code = deployed.get(hash) ?? (hash === EMPTY_HASH ? EMPTY_BYTES : this.getCode(account.codeHash));
      const slots = new Map(isStorageCleared ? [] : this.#accounts.get(key)?.storage);
      for (const [slot, value] of storage) {
        if (value.length === 0) slots.delete(bytesToBigInt(slot));
        else slots.set(bytesToBigInt(slot), bytesToBigInt(value));
      }
      accounts.set(key, { nonce: account.nonce, balance: account.balance, code, storage: slots });
    }
    return accounts;
  }
}

const EMPTY_HASH = bytesToHex(EMPTY_CODE_HASH);
