import type { AccountState } from '../evm/host.ts';
import type { AccountLeaf } from '../primitives/account-leaf.ts';
import { bytesEqual } from '../primitives/bytes.ts';
import { bytesToHex } from '../primitives/hex.ts';
import { EMPTY_TRIE_ROOT } from '../primitives/keccak.ts';
import { Lru } from '../util/lru.ts';
import { RootTables } from './root-tables.ts';

/** An account that was proven. */
export type ProvenAccount = {
  readonly account: AccountState;
  /** Lower-case `0x` text, as are all keys here. */
  readonly storageRoot: string;
};

/** What is known of an account at whichever block it was proven last. */
export type LatestAccount = {
  readonly proven: ProvenAccount | null;
  /** Storage roots that it had, the latest first. */
  readonly roots: readonly string[];
};

/** Bytes of an entry with its key, as the heap grows, measured; of an account with its latest form. */
const ACCOUNT_BYTES = 1_050;
const SLOT_BYTES = 350;
/** The part of the memory that accounts may have. */
const ACCOUNTS_SHARE = 0.4;
/** Storage roots that are remembered of an account. */
const MAX_ROOTS = 4;

/** Accounts and slots that nodes have proven, by the roots that prove them: state roots and storage roots. */
export class ProvenStates {
  readonly #accounts: RootTables<ProvenAccount | null>;
  readonly #slots: RootTables<Uint8Array>;
  readonly #latest: Lru<string, LatestAccount>;
  /** An account with a code, by the code's hash: it is asked for by account. */
  readonly #holders: Lru<string, string>;

  /** @param bytes that all of it may take */
  constructor(bytes: number) {
    const accountBytes = bytes * ACCOUNTS_SHARE;
    const accounts = Math.max(1, Math.floor(accountBytes / ACCOUNT_BYTES));
    this.#accounts = new RootTables(accountBytes, ACCOUNT_BYTES);
    this.#slots = new RootTables(bytes - accountBytes, SLOT_BYTES);
    this.#latest = new Lru(accounts, Number.POSITIVE_INFINITY);
    this.#holders = new Lru(accounts, Number.POSITIVE_INFINITY);
  }

  /** Bytes that it takes, about. */
  get bytes(): number {
    return this.#accounts.bytes + this.#slots.bytes;
  }

  /** Null where it is proven that there is no such account. */
  findAccount(stateRoot: string, address: string): ProvenAccount | null | undefined {
    return this.#accounts.get(stateRoot, address);
  }

  /** Without leading zeros. */
  findSlot(storageRoot: string, slot: string): Uint8Array | undefined {
    return this.#slots.get(storageRoot, slot);
  }

  latestOf(address: string): LatestAccount | undefined {
    return this.#latest.get(address);
  }

  /** An account that has, or had, this code. */
  holderOf(codeHash: string): string | undefined {
    return this.#holders.get(codeHash);
  }

  /** @returns the account as it is kept */
  noteAccount(stateRoot: string, address: string, leaf: AccountLeaf | null): ProvenAccount | null {
    const proven = leaf && toProven(leaf);
    this.#accounts.set(stateRoot, address, proven);
    const before = this.#latest.get(address)?.roots ?? [];
    const roots = proven === null ? before : [proven.storageRoot, ...before];
    this.#latest.set(address, { proven, roots: [...new Set(roots)].slice(0, MAX_ROOTS) });
    if (proven !== null) this.#holders.set(bytesToHex(proven.account.codeHash), address);
    return proven;
  }

  /** @param value without leading zeros */
  noteSlot(storageRoot: string, slot: string, value: Uint8Array): void {
    this.#slots.set(storageRoot, slot, value);
  }
}

function toProven({ nonce, balance, codeHash, storageRoot }: AccountLeaf): ProvenAccount {
  const hasStorage = !bytesEqual(storageRoot, EMPTY_TRIE_ROOT);
  return { account: { nonce, balance, codeHash, hasStorage }, storageRoot: bytesToHex(storageRoot) };
}
