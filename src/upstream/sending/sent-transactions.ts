import type { Transaction } from '../../chain/transaction.ts';
import type { RequestScope } from '../../util/request-scope.ts';
import { SharedBudget } from '../../util/shared-budget.ts';
import type { Upstream } from '../upstream.ts';

/** How long a transaction that is in no block is remembered, and sent again where it is lost. */
export const SENT_LIFE_MS: number = 10 * 60_000;
/** Bytes of all transactions that are remembered, and the part of them that one key may have. */
const MAX_BYTES = 64 * 1024 * 1024;
const OWNER_SHARE = 0.25;
/** Transactions of one key that are remembered. */
export const MAX_SENT_OF_OWNER: number = 1_024;
/** Keys and sessions that see one transaction. */
const MAX_VIEWERS = 64;
/** What an entry takes beside its bytes, about. */
const ENTRY_BYTES = 1_024;

/** A transaction that a node has taken, and that is in no served block as far as is known. */
export type SentEntry = {
  readonly hash: string;
  /** Lower-case `0x` text. */
  readonly sender: string;
  readonly transaction: Transaction;
  /** As sent, with what it carries. */
  readonly bytes: Uint8Array;
  /** The key that it counts for. */
  readonly owner: string;
  /** Whether only a relay has got it. */
  readonly isPrivate: boolean;
  readonly sentAt: number;
  /** Which keys, or sessions of keys, see it. */
  readonly viewers: Set<string>;
  /** Nodes that have taken it and have not lost it. */
  readonly takers: Set<Upstream>;
  /** How often it was sent again. */
  repeats: number;
};

/** Of one viewer. */
type View = {
  readonly byHash: Map<string, SentEntry>;
  /** By sender, then nonce. */
  readonly nonces: Map<string, Map<bigint, SentEntry>>;
};

/** Identity under which a request sees its own writes: its session where it has one, otherwise its key. */
export function viewerOf({ owner = '', session }: RequestScope): string {
  return session === undefined ? owner : `${owner} ${session}`;
}

/** The transactions of this process that wait for a block: bounded by key, in bytes, and in time. */
export class SentTransactions {
  readonly #entries = new Map<string, SentEntry>();
  readonly #views = new Map<string, View>();
  readonly #budget = new SharedBudget(MAX_BYTES, OWNER_SHARE);
  readonly #counts = new Map<string, number>();
  readonly #now: () => number;

  /** `now` is a monotonic clock in milliseconds. */
  constructor(now: () => number) {
    this.#now = now;
  }

  get size(): number {
    return this.#entries.size;
  }

  /** Oldest first. */
  get entries(): IterableIterator<SentEntry> {
    return this.#entries.values();
  }

  get(hash: string): SentEntry | undefined {
    const entry = this.#entries.get(hash);
    if (entry === undefined || !this.isOver(entry)) return entry;
    this.delete(entry);
    return undefined;
  }

  isOver({ sentAt }: SentEntry): boolean {
    return this.#now() - sentAt > SENT_LIFE_MS;
  }

  /**
   * Remembers a transaction, or that another viewer has sent it too; the oldest of the same key make room.
   * @returns its entry; undefined where there is no room for it
   */
  add(
    sent: Pick<SentEntry, 'hash' | 'sender' | 'transaction' | 'bytes' | 'isPrivate'>,
    scope: RequestScope,
  ): SentEntry | undefined {
    const known = this.get(sent.hash);
    if (known !== undefined) {
      this.#show(known, viewerOf(scope));
      return known;
    }
    const owner = scope.owner ?? '';
    if (!this.#makeRoom(owner, measure(sent))) return undefined;
    const entry: SentEntry = {
      ...sent,
      owner,
      sentAt: this.#now(),
      viewers: new Set(),
      takers: new Set(),
      repeats: 0,
    };
    this.#entries.set(entry.hash, entry);
    this.#counts.set(owner, this.#countOf(owner) + 1);
    this.#show(entry, viewerOf(scope));
    return entry;
  }

  delete(entry: SentEntry): void {
    if (!this.#entries.delete(entry.hash)) return;
    this.#budget.giveBack(entry.owner, measure(entry));
    const count = this.#countOf(entry.owner) - 1;
    if (count === 0) this.#counts.delete(entry.owner);
    else this.#counts.set(entry.owner, count);
    for (const viewer of entry.viewers) this.#hide(entry, viewer);
  }

  clear(): void {
    for (const entry of this.#entries.values()) this.delete(entry);
  }

  /** What this viewer has sent under this hash. */
  find(scope: RequestScope, hash: string): SentEntry | undefined {
    if (this.#views.size === 0) return undefined;
    const entry = this.#views.get(viewerOf(scope))?.byHash.get(hash);
    return entry && this.get(entry.hash);
  }

  /** Nodes that have the latest transaction that this viewer has sent; undefined where none waits. */
  findTakers(scope: RequestScope): ReadonlySet<Upstream> | undefined {
    if (this.#views.size === 0) return undefined;
    const view = this.#views.get(viewerOf(scope));
    return view === undefined ? undefined : [...view.byHash.values()].at(-1)?.takers;
  }

  /** Nonces that this viewer has used for a sender in transactions that wait. */
  hasNonce(scope: RequestScope, sender: string, nonce: bigint): boolean {
    const entry = this.#views.get(viewerOf(scope))?.nonces.get(sender)?.get(nonce);
    return entry !== undefined && !this.isOver(entry);
  }

  #show(entry: SentEntry, viewer: string): void {
    if (entry.viewers.has(viewer) || entry.viewers.size >= MAX_VIEWERS) return;
    entry.viewers.add(viewer);
    let view = this.#views.get(viewer);
    if (view === undefined) {
      view = { byHash: new Map(), nonces: new Map() };
      this.#views.set(viewer, view);
    }
    view.byHash.set(entry.hash, entry);
    const nonces = view.nonces.get(entry.sender) ?? new Map<bigint, SentEntry>();
    nonces.set(entry.transaction.nonce, entry);
    view.nonces.set(entry.sender, nonces);
  }

  #hide(entry: SentEntry, viewer: string): void {
    const view = this.#views.get(viewer) as View;
    view.byHash.delete(entry.hash);
    if (view.byHash.size === 0) this.#views.delete(viewer);
    const nonces = view.nonces.get(entry.sender);
    if (nonces?.get(entry.transaction.nonce) !== entry) return;
    nonces.delete(entry.transaction.nonce);
    if (nonces.size === 0) view.nonces.delete(entry.sender);
  }

  #makeRoom(owner: string, bytes: number): boolean {
    for (;;) {
      if (this.#countOf(owner) < MAX_SENT_OF_OWNER && this.#budget.tryTake(owner, bytes)) return true;
      const oldest = this.#findOldest(owner);
      if (oldest === undefined) return false;
      this.delete(oldest);
    }
  }

  /** The oldest of a key, or one that has expired. */
  #findOldest(owner: string): SentEntry | undefined {
    for (const entry of this.#entries.values()) if (entry.owner === owner || this.isOver(entry)) return entry;
    return undefined;
  }

  #countOf(owner: string): number {
    return this.#counts.get(owner) ?? 0;
  }
}

function measure({ bytes }: Pick<SentEntry, 'bytes'>): number {
  return bytes.length + ENTRY_BYTES;
}
