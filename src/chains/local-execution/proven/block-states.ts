import { EMPTY_BYTES } from '../../../../packages/ethereum/primitives/bytes.ts';
import type { AccountState } from '../../../../packages/evm/interpreter/host.ts';
import { Lru } from '../../../util/lru.ts';
import type { BlockChanges } from './block-changes.ts';
import { BlockLinks } from './block-links.ts';
import { changeAccount, type RolledAccount } from './rolled-account.ts';
import type { BlockState } from './state-nodes.ts';
import { VerifiedStates } from './verified-states.ts';

/** Shares of the memory for block changes, and for accounts derived from them. */
const LINKS_SHARE = 0.0625;
const ROLLED_SHARE = 0.0625;
/** Heap growth, measured, bytes: per entry with its key, and per slot in it, which shares its key and most values with others. */
const ENTRY_BYTES = 400;
const SLOT_BYTES = 150;

/** Null: there is no such account. `unknown`: the account could not be derived from what was known at the time. */
type Rolled = RolledAccount | null | 'unknown';

/**
 * Known state of blocks: values verified by proofs against state roots, and values derived from them by the access lists of later blocks. A proof is
 * valid for its root, whatever block names it; an access list is valid only if the block that commits to it is. So derived values are stored by block
 * hash, never by root.
 */
export class BlockStates {
  readonly proven: VerifiedStates;
  readonly #links: BlockLinks;
  /** Derived accounts by block hash and address. */
  readonly #rolled: Lru<string, Rolled>;

  /** @param bytes bound on the memory of all parts together */
  constructor(bytes: number) {
    this.proven = new VerifiedStates(bytes * (1 - LINKS_SHARE - ROLLED_SHARE));
    this.#links = new BlockLinks(bytes * LINKS_SHARE);
    this.#rolled = new Lru(Math.max(1, bytes * ROLLED_SHARE), Number.POSITIVE_INFINITY, undefined, weigh);
  }

  /** Approximate heap size. */
  get bytes(): number {
    return this.proven.bytes + this.#links.bytes + this.#rolled.weight;
  }

  /** Returns the account; null if there is none, undefined if that is not known. */
  findAccount(at: BlockState, address: string): AccountState | null | undefined {
    const recalled = this.proven.recallAccount(at.stateRoot, address);
    if (recalled !== undefined) return recalled === null ? null : recalled.account;
    for (const found of this.#listAccounts(at, address)) return found === null ? null : found.account;
    return undefined;
  }

  /** Returns the slot's value without leading zeros; empty if there is no such account, undefined if it is not known. */
  findSlot(at: BlockState, address: string, slot: string): Uint8Array | undefined {
    for (const found of this.#listAccounts(at, address)) {
      if (found === null) return EMPTY_BYTES;
      const { storageRoot, slots } = found;
      const value = slots?.get(slot) ?? (storageRoot && this.proven.findSlot(storageRoot, slot));
      if (value) return value;
    }
    return undefined;
  }

  /** Names the part of the state trie that needs a proof for an account to be known; undefined if the account is known. */
  findAccountGap(at: BlockState, address: string): string | undefined {
    return this.findAccount(at, address) === undefined
      ? this.proven.findAccountGap(at.stateRoot, address)
      : undefined;
  }

  /** Names the part of the storage trie that needs a proof for a slot of a known account; undefined if nothing is needed. */
  findSlotGap(at: BlockState, address: string, slot: string): string | undefined {
    if (this.findSlot(at, address, slot) !== undefined) return undefined;
    const root = this.proven.findAccount(at.stateRoot, address)?.storageRoot;
    // Without its root nothing is known of the trie: the proof of one slot shows it.
    return root === undefined ? address : this.proven.findSlotGap(root, slot);
  }

  /** Returns whether anything is known of the state of a block, so that state of the next one may be derived. */
  isKnown({ hash, stateRoot }: BlockState): boolean {
    return this.#links.get(hash) !== undefined || this.proven.hasAccounts(stateRoot);
  }

  /** Records that a block's state is that of its parent with these changes. */
  addChanges(at: BlockState, parent: BlockState, changes: BlockChanges): void {
    this.#links.add(at.hash, { parent, changes });
  }

  /** Yields all known forms of the account, the fastest look-up first. */
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

  /** Goes back to the last block at which the account is known, and applies the changes since. */
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

  /** Returns all that is known of an account at a block without going further back. */
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
