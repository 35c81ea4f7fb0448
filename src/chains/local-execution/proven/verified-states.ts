import {
  type AccountLeaf,
  decodeAccountLeaf,
} from '../../../../packages/ethereum/primitives/account-leaf.ts';
import { bigIntToBytes, bytesEqual, EMPTY_BYTES } from '../../../../packages/ethereum/primitives/bytes.ts';
import { bytesToHex } from '../../../../packages/ethereum/primitives/hex.ts';
import { EMPTY_TRIE_ROOT } from '../../../../packages/ethereum/primitives/keccak.ts';
import { asInteger, decodeRlp } from '../../../../packages/ethereum/primitives/rlp.ts';
import type { AccountState } from '../../../../packages/evm/interpreter/host.ts';
import type { StateProofRequest, VerifiedState } from '../../../../packages/proofs/state-proof.ts';
import { BLOCK_LIFE, Lru } from '../../../util/lru.ts';
import { RootTables } from './root-tables.ts';
import { TrieNodes } from './trie-nodes.ts';

/** Account that was verified by a proof. */
export type VerifiedAccount = {
  readonly account: AccountState;
  /** Storage root as lower-case `0x` text, like all keys in this file. */
  readonly storageRoot: string;
};

/** Account in the last proof of it that was verified, at whichever block. */
export type LatestAccount = {
  readonly proven: VerifiedAccount | null;
  /** Verified storage roots of the account, latest first. */
  readonly roots: readonly string[];
};

/** Measured heap size of an entry with its key, bytes. The size of an account includes its `LatestAccount`. */
const ACCOUNT_BYTES = 1_050;
const SLOT_BYTES = 350;
/** Shares of the memory limit for accounts and for slots; the rest is for trie nodes. */
const ACCOUNTS_SHARE = 0.2;
const SLOTS_SHARE = 0.3;
const EMPTY_ROOT: string = bytesToHex(EMPTY_TRIE_ROOT);
/** Maximum number of stored storage roots per account. */
const MAX_ROOTS = 4;

/** Accounts by state root, and slots by storage root, that were verified by proofs from nodes. */
export class VerifiedStates {
  readonly #accounts: RootTables<VerifiedAccount | null>;
  readonly #slots: RootTables<Uint8Array>;
  readonly #nodes: TrieNodes;
  readonly #latest: Lru<string, LatestAccount>;
  /** Address of one account per code hash. An address is needed because nodes serve codes by address. */
  readonly #holders: Lru<string, string>;

  /** @param bytes limit on the heap size of accounts, slots and trie nodes, bytes */
  constructor(bytes: number) {
    const accountBytes = bytes * ACCOUNTS_SHARE;
    const slotBytes = bytes * SLOTS_SHARE;
    const accounts = Math.max(1, Math.floor(accountBytes / ACCOUNT_BYTES));
    this.#accounts = new RootTables(accountBytes, ACCOUNT_BYTES);
    this.#slots = new RootTables(slotBytes, SLOT_BYTES);
    this.#nodes = new TrieNodes(bytes - accountBytes - slotBytes);
    this.#latest = new Lru(accounts, BLOCK_LIFE);
    this.#holders = new Lru(accounts, BLOCK_LIFE);
  }

  /** Approximate heap size, bytes. */
  get bytes(): number {
    return this.#accounts.bytes + this.#slots.bytes + this.#nodes.bytes;
  }

  /** Returns whether any account is cached for this state root. */
  hasAccounts(stateRoot: string): boolean {
    return this.#accounts.has(stateRoot);
  }

  /** Returns the cached account without reading trie nodes; null if the account does not exist, undefined if it is not cached. */
  recallAccount(stateRoot: string, address: string): VerifiedAccount | null | undefined {
    return this.#accounts.get(stateRoot, address);
  }

  /** Returns the account; null if a proof shows that it does not exist, undefined if it is not known. */
  findAccount(stateRoot: string, address: string): VerifiedAccount | null | undefined {
    const known = this.#accounts.get(stateRoot, address);
    // anvil's first block has the empty trie root although its state is not empty. For the empty trie root, a proof must be requested, although this
    // proof then fails.
    if (known !== undefined || stateRoot === EMPTY_ROOT) return known;
    const leaf = this.#nodes.find(stateRoot, address, decodeAccountLeaf);
    return leaf === undefined ? undefined : this.#noteAccount(stateRoot, address, leaf);
  }

  /** Returns the slot's value without leading zeros; undefined if it is not known. */
  findSlot(storageRoot: string, slot: string): Uint8Array | undefined {
    const known = this.#slots.get(storageRoot, slot);
    if (known !== undefined) return known;
    const value = this.#nodes.find(storageRoot, slot, decodeSlot);
    if (value === undefined) return undefined;
    this.#slots.set(storageRoot, slot, value ?? EMPTY_BYTES);
    return value ?? EMPTY_BYTES;
  }

  /** Lists the cached slots of a storage root. */
  listSlots(storageRoot: string): Iterable<readonly [slot: string, value: Uint8Array]> {
    return this.#slots.list(storageRoot);
  }

  /** If the account is unknown, returns a name for the part of the state trie that a proof must contain; undefined if the account is known. */
  findAccountGap(stateRoot: string, address: string): string | undefined {
    const known = this.#accounts.get(stateRoot, address);
    return known === undefined ? this.#nodes.findGap(stateRoot, address) : undefined;
  }

  /** If the slot is unknown, returns a name for the part of the storage trie that a proof must contain; undefined if the slot is known. */
  findSlotGap(storageRoot: string, slot: string): string | undefined {
    const known = this.#slots.get(storageRoot, slot);
    return known === undefined ? this.#nodes.findGap(storageRoot, slot) : undefined;
  }

  latestOf(address: string): LatestAccount | undefined {
    return this.#latest.get(address);
  }

  /** Returns the address of an account that has or had the code with this hash. */
  holderOf(codeHash: string): string | undefined {
    return this.#holders.get(codeHash);
  }

  noteHolder(codeHash: Uint8Array, address: string): void {
    this.#holders.set(bytesToHex(codeHash), address);
  }

  /** Stores the values and trie nodes of a proof that was verified against a state root. */
  note(
    stateRoot: string,
    { address, slots }: StateProofRequest,
    { account, words, nodes }: VerifiedState,
  ): void {
    this.#nodes.add(nodes);
    const proven = this.#noteAccount(stateRoot, address, account);
    if (proven === null) return;
    for (const [index, slot] of slots.entries())
      this.#slots.set(proven.storageRoot, slot, bigIntToBytes(words[index] as bigint));
  }

  #noteAccount(stateRoot: string, address: string, leaf: AccountLeaf | null): VerifiedAccount | null {
    const proven = leaf && toVerified(leaf);
    this.#accounts.set(stateRoot, address, proven);
    const before = this.#latest.get(address)?.roots ?? [];
    const roots = proven === null ? before : [proven.storageRoot, ...before];
    this.#latest.set(address, { proven, roots: [...new Set(roots)].slice(0, MAX_ROOTS) });
    if (proven !== null) this.noteHolder(proven.account.codeHash, address);
    return proven;
  }
}

function decodeSlot(leaf: Uint8Array): Uint8Array {
  return bigIntToBytes(asInteger(decodeRlp(leaf), 'slot'));
}

function toVerified({ nonce, balance, codeHash, storageRoot }: AccountLeaf): VerifiedAccount {
  const hasStorage = !bytesEqual(storageRoot, EMPTY_TRIE_ROOT);
  return { account: { nonce, balance, codeHash, hasStorage }, storageRoot: bytesToHex(storageRoot) };
}
