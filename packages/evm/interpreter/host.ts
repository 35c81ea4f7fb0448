import { EMPTY_CODE_HASH } from '../../ethereum/primitives/keccak.ts';

/** Interface between the EVM and its host: the state after a block, and changes of this state. */

/** An existing account. */
export type AccountState = {
  readonly nonce: bigint;
  readonly balance: bigint;
  /** 32 bytes; the hash of empty input for an account without code. */
  readonly codeHash: Uint8Array;
  /** Whether any slot of the account's storage is nonzero (for EIP-7610). */
  readonly hasStorage: boolean;
};

/** State of an address without an account, for example of a transaction's sender. */
export const EMPTY_ACCOUNT: AccountState = {
  nonce: 0n,
  balance: 0n,
  codeHash: EMPTY_CODE_HASH,
  hasStorage: false,
};

/** State after a block. The state must not change while an execution reads it. */
export interface StateReader {
  /**
   * @param address 20 bytes
   * @returns undefined when the account does not exist
   */
  getAccount(address: Uint8Array): AccountState | undefined;
  /**
   * @param slot 32 bytes
   * @returns the value without leading zeros; empty for zero
   */
  getStorage(address: Uint8Array, slot: Uint8Array): Uint8Array;
  /** @throws Error when the code is missing: the code of every hash in an account must exist */
  getCode(codeHash: Uint8Array): Uint8Array;
}

/** Changes of one account. */
export type AccountChange = {
  /** 20 bytes. */
  readonly address: Uint8Array;
  /** State after the changes; undefined when the account and its storage no longer exist. */
  readonly account: Omit<AccountState, 'hasStorage'> | undefined;
  /** True when all previous storage is removed and `storage` is the complete storage. */
  readonly isStorageCleared: boolean;
  /** Changed slots (32 bytes) and their values without leading zeros; an empty value is zero. */
  readonly storage: readonly (readonly [slot: Uint8Array, value: Uint8Array])[];
};

export type StateChanges = {
  readonly accounts: readonly AccountChange[];
  /** Deployed codes. */
  readonly codes: readonly (readonly [codeHash: Uint8Array, code: Uint8Array])[];
};
