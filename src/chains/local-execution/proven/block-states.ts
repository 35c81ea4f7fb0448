import { EMPTY_BYTES } from '../../../../packages/ethereum/primitives/bytes.ts';
import type { AccountState } from '../../../../packages/evm/interpreter/host.ts';
import { Lru } from '../../../util/lru.ts';
import type { BlockChanges } from './block-changes.ts';
import { BlockLinks } from './block-links.ts';
import { changeAccount, type RolledAccount } from './rolled-account.ts';
import type { BlockState } from './state-nodes.ts';
import { VerifiedStates } from './verified-states.ts';

/** Shares of the memory for changes of blocks, and for accounts that are derived with these changes. */
const LINKS_SHARE = 0.0625;
const ROLLED_SHARE = 0.0625;
/**
 * Measured heap size of a derived account with its key, and of each of its slots, bytes. Entries of one account at several blocks share slot keys and
 * most slot values.
 */
const ENTRY_BYTES = 400;
const SLOT_BYTES = 150;

/** Derived account. `null`: the account does not exist. `unknown`: the state known at that time did not suffice to derive the account. */
type Rolled = RolledAccount | null | 'unknown';

/**
 * Known state of blocks: values that proofs verify against state roots, and values derived from them with the access lists of later blocks. A proof
 * holds for every block that has its state root. A block access list is valid only if its block is valid. Values derived from access lists are
 * therefore stored by block hash, never by state root.
 */
export class BlockStates {
  readonly proven: VerifiedStates;
  readonly #links: BlockLinks;
  /** Derived accounts by block hash and address. */
  readonly #rolled: Lru<string, Rolled>;

  /** @param bytes limit on the heap size of all cached state, bytes */
  constructor(bytes: number) {
    this.proven = new VerifiedStates(bytes * (1 - LINKS_SHARE - ROLLED_SHARE));
    this.#links = new BlockLinks(bytes * LINKS_SHARE);
    this.#rolled = new Lru(Math.max(1, bytes * ROLLED_SHARE), Number.POSITIVE_INFINITY, undefined, weigh);
  }

  /** Approximate heap size, bytes. */
  get bytes(): number {
    return this.proven.bytes + this.#links.bytes + this.#rolled.weight;
  }

  /** Returns the account; null if it does not exist, undefined if it is not known. */
  findAccount(at: BlockState, address: string): AccountState | null | undefined {
    const recalled = this.proven.recallAccount(at.stateRoot, address);
    if (recalled !== undefined) return recalled === null ? null : recalled.account;
    for (const found of this.#listAccounts(at, address)) return found === null ? null : found.account;
    return undefined;
  }

  /** Returns the slot's value without leading zeros; empty if the account does not exist, undefined if the value is not known. */
  findSlot(at: BlockState, address: string, slot: string): Uint8Array | undefined {
    for (const found of this.#listAccounts(at, address)) {
      if (found === null) return EMPTY_BYTES;
      const { storageRoot, slots } = found;
      const value = slots?.get(slot) ?? (storageRoot && this.proven.findSlot(storageRoot, slot));
      if (value) return value;
    }
    return undefined;
  }

  /** If the account is unknown, returns a name for the part of the state trie that a proof must contain; undefined if the account is known. */
  findAccountGap(at: BlockState, address: string): string | undefined {
    return this.findAccount(at, address) === undefined
      ? this.proven.findAccountGap(at.stateRoot, address)
      : undefined;
  }

  /**
   * If the slot of a known account is unknown, returns a name for the part of the storage trie that a proof must contain; undefined if the slot is
   * known.
   */
  findSlotGap(at: BlockState, address: string, slot: string): string | undefined {
    if (this.findSlot(at, address, slot) !== undefined) return undefined;
    const root = this.proven.findAccount(at.stateRoot, address)?.storageRoot;
    // Without the storage root, no node of the trie is known. A proof of any slot includes the storage root.
    return root === undefined ? address : this.proven.findSlotGap(root, slot);
  }

  /** Returns whether the state changes or any verified account of a block are known. State of the next block can then be derived from them. */
  isKnown({ hash, stateRoot }: BlockState): boolean {
    return this.#links.get(hash) !== undefined || this.proven.hasAccounts(stateRoot);
  }

  /** Records the changes that lead from the state of a block's parent to the block's state. */
  addChanges(at: BlockState, parent: BlockState, changes: BlockChanges): void {
    this.#links.add(at.hash, { parent, changes });
  }

  /** Yields all known forms of the account, from the fastest to the slowest look-up. The known forms of an account may contain different slots. */
  *#listAccounts(at: BlockState, address: string): Generator<RolledAccount | null> {
    const recalled = this.proven.recallAccount(at.stateRoot, address);
    if (recalled !== undefined) yield recalled;
    const name = `${at.hash}/${address}`;
    const rolled = this.#rolled.get(name);
    if (rolled !== undefined && rolled !== 'unknown') yield rolled;
    if (recalled === undefined) {
      const found = this.proven.findAccount(at.stateRoot, address);
      if (found !== undefined) yield found;
    }
    if (rolled !== undefined || this.#links.get(at.hash) === undefined) return;
    const made = this.#roll(at, address);
    this.#rolled.set(name, made === undefined ? 'unknown' : made);
    if (made === undefined) return;
    if (made !== null) this.proven.noteHolder(made.account.codeHash, address);
    yield made;
  }

  /** Derives an account: goes back to the last block at which it is known, and applies all changes since that block. */
  #roll(at: BlockState, address: string): RolledAccount | null | undefined {
    const path: BlockChanges[] = [];
    let account: RolledAccount | null | undefined;
    for (let { hash } = at; account === undefined; ) {
      const link = this.#links.get(hash);
      if (link === undefined) return undefined;
      path.push(link.changes);
      account = this.#findBase(link.parent, address);
      hash = link.parent.hash;
    }
    for (const { accounts } of path.reverse()) {
      if (account === undefined) return undefined;
      account = changeAccount(account, accounts.get(address), (root) => this.proven.listSlots(root));
    }
    return account;
  }

  /** Returns an account if it is known at this block, without deriving it from earlier blocks. */
  #findBase(at: BlockState, address: string): RolledAccount | null | undefined {
    const proven = this.proven.findAccount(at.stateRoot, address);
    const memo = this.#rolled.get(`${at.hash}/${address}`);
    const rolled = memo === 'unknown' ? undefined : memo;
    if (proven === undefined || proven === null) return proven === null ? null : rolled;
    if (rolled?.slots === undefined) return proven;
    const { storageRoot, slots } = rolled;
    const isSame = storageRoot === undefined || storageRoot === proven.storageRoot;
    return { ...proven, slots: isSame ? slots : new Map([...this.proven.listSlots(storageRoot), ...slots]) };
  }
}

function weigh(rolled: Rolled): number {
  return ENTRY_BYTES + (rolled === null || rolled === 'unknown' ? 0 : (rolled.slots?.size ?? 0) * SLOT_BYTES);
}
