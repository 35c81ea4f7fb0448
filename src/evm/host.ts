/** What execution asks of its host, and what it hands back: state as of some block, and the changes to it. */

/** An account that exists. */
export type AccountState = {
  readonly nonce: bigint;
  readonly balance: bigint;
  /** 32 bytes; keccak of nothing for an account without code. */
  readonly codeHash: Uint8Array;
  /** Whether any slot of its storage is set (EIP-7610 asks). */
  readonly hasStorage: boolean;
};

/** State as it is after some block; it never changes while something executes on it. */
export interface StateReader {
  /** `address` is 20 bytes. @returns undefined where no account exists */
  getAccount(address: Uint8Array): AccountState | undefined;
  /** `slot` is 32 bytes. @returns the value without leading zeros; empty for zero */
  getStorage(address: Uint8Array, slot: Uint8Array): Uint8Array;
  /** @throws Error when the code is not there: every hash that an account names must be. */
  getCode(codeHash: Uint8Array): Uint8Array;
}

/** What execution made of one account. */
export type AccountChange = {
  /** 20 bytes. */
  readonly address: Uint8Array;
  /** Undefined: it exists no more, and neither does its storage. */
  readonly account: Omit<AccountState, 'hasStorage'> | undefined;
  /** Whatever storage it had before is gone; `storage` is all that it has now. */
  readonly isStorageCleared: boolean;
  /** Changed slots: 32 bytes each, and their values without leading zeros (empty: zero). */
  readonly storage: readonly (readonly [slot: Uint8Array, value: Uint8Array])[];
};

export type StateChanges = {
  readonly accounts: readonly AccountChange[];
  /** Codes that were deployed. */
  readonly codes: readonly (readonly [codeHash: Uint8Array, code: Uint8Array])[];
};
