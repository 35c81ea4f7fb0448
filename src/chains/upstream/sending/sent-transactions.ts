import type { Transaction } from '../../../../packages/ethereum/codecs/transaction.ts';
import type { Upstream } from '../../../pool/upstream.ts';
import type { RequestScope } from '../../../util/request-scope.ts';
import { SharedBudget } from '../../../util/shared-budget.ts';
import { SentViews } from './sent-views.ts';

/** Time for which a pending transaction is stored, and re-sent if nodes lose it, ms. */
export const SENT_LIFE_MS: number = 10 * 60_000;
/** Limit on the size of all stored transactions, bytes, and the maximum share of one API key. */
const MAX_BYTES = 64 * 1024 * 1024;
const OWNER_SHARE = 0.25;
/** Maximum number of stored transactions of one API key. */
export const MAX_SENT_OF_OWNER: number = 1_024;
/** Approximate heap size of an entry without the transaction bytes, and of each session's view of an entry, bytes. */
const ENTRY_BYTES = 1_024;
const VIEW_BYTES = 256;

/**
 * Transaction that a node has accepted and that was not found in a served block yet. Each API key that has sent the transaction has its own entry.
 */
export type SentEntry = {
  readonly hash: string;
  /** Lower-case `0x` text. */
  readonly sender: string;
  readonly transaction: Transaction;
  /** Encoded transaction as the client sent it, with blobs. */
  readonly bytes: Uint8Array;
  /** API key whose share of memory contains the entry. */
  readonly owner: string;
  /** True if only the private relay has received the transaction. */
  readonly isPrivate: boolean;
  readonly sentAt: number;
  /** Sessions of the API key that see the transaction; `undefined` stands for requests without a session. */
  readonly viewers: Set<string | undefined>;
  /** Nodes that have accepted the transaction and still have it. All entries for the same transaction share this set. */
  readonly takers: Set<Upstream>;
  /** Number of checks of this entry, and number of times that it was re-sent. */
  checks: number;
  repeats: number;
};

/** Pending transactions of one API key. */
type Owner = {
  /** Oldest first. */
  readonly entries: Map<string, SentEntry>;
  /** The entries of `entries`, least recently visited by `takeSlots` first. */
  readonly line: Set<SentEntry>;
  readonly views: SentViews;
};

/** Returns the viewer of a request: API key and session, or the API key alone. A viewer sees its own pending transactions. */
export function viewerOf({ owner = '', session }: RequestScope): string {
  return session === undefined ? owner : `${owner} ${session}`;
}

/**
 * Pending transactions that this process has sent, limited in number per API key, in bytes and in time. If several API keys have sent the same
 * transaction, each key has its own entry, so that no key can evict the entry of another key.
 */
export class SentTransactions {
  /** Oldest first. */
  readonly #entries = new Set<SentEntry>();
  /** Owners by API key; the key that `takeSlots` has visited least recently is first. */
  readonly #owners = new Map<string, Owner>();
  readonly #byHash = new Map<string, Set<SentEntry>>();
  readonly #budget = new SharedBudget(MAX_BYTES, OWNER_SHARE);
  readonly #now: () => number;

  /** @param now monotonic clock in milliseconds */
  constructor(now: () => number) {
    this.#now = now;
  }

  /** Number of entries. A transaction that two API keys have sent counts twice. */
  get size(): number {
    return this.#entries.size;
  }

  /** Returns any entry for the transaction with this hash, whichever API key has sent it. */
  get(hash: string): SentEntry | undefined {
    for (const entry of this.#byHash.get(hash) ?? []) {
      if (!this.isOver(entry)) return entry;
      this.delete(entry);
    }
    return undefined;
  }

  /** Returns all entries with this hash, one per API key that has sent the transaction. */
  listSame(hash: string): readonly SentEntry[] {
    return [...(this.#byHash.get(hash) ?? [])];
  }

  isOver({ sentAt }: SentEntry): boolean {
    return this.#now() - sentAt > SENT_LIFE_MS;
  }

  /**
   * Stores a transaction for its API key, or adds the session to the key's existing entry. If the API key has no room for the transaction, removes
   * the key's oldest entries.
   * @returns the entry; undefined if there is no room
   */
  add(
    sent: Pick<SentEntry, 'hash' | 'sender' | 'transaction' | 'bytes' | 'isPrivate'>,
    { owner: name = '', session }: RequestScope,
  ): SentEntry | undefined {
    const known = this.#findOf(name, sent.hash);
    if (known !== undefined) {
      if (known.viewers.has(session) || this.#budget.tryTake(name, VIEW_BYTES)) this.#show(known, session);
      return known;
    }
    if (!this.#makeRoom(name, measure(sent) + VIEW_BYTES)) return undefined;
    const same = this.#byHash.get(sent.hash) ?? new Set<SentEntry>();
    const [other] = same;
    const entry: SentEntry = {
      ...sent,
      owner: name,
      sentAt: this.#now(),
      viewers: new Set(),
      takers: other?.takers ?? new Set(),
      checks: 0,
      repeats: 0,
    };
    const owner = this.#owners.get(name) ?? { entries: new Map(), line: new Set(), views: new SentViews() };
    this.#owners.set(name, owner);
    owner.entries.set(entry.hash, entry);
    owner.line.add(entry);
    this.#byHash.set(entry.hash, same.add(entry));
    this.#entries.add(entry);
    this.#show(entry, session);
    return entry;
  }

  /** Removes an entry from its key. */
  delete(entry: SentEntry): void {
    if (!this.#entries.delete(entry)) return;
    const owner = this.#owners.get(entry.owner) as Owner;
    this.#budget.giveBack(entry.owner, measure(entry) + entry.viewers.size * VIEW_BYTES);
    owner.views.hide(entry);
    owner.entries.delete(entry.hash);
    owner.line.delete(entry);
    if (owner.entries.size === 0) this.#owners.delete(entry.owner);
    const same = this.#byHash.get(entry.hash);
    same?.delete(entry);
    if (same?.size === 0) this.#byHash.delete(entry.hash);
  }

  clear(): void {
    for (const entry of this.#entries) this.delete(entry);
  }

  /** Yields all entries round-robin over API keys. The next call of this method begins with the API key that was visited least recently. */
  *takeSlots(): Generator<SentEntry, void, undefined> {
    const left = new Map([...this.#owners].map(([name, { line }]) => [name, line.size]));
    while (left.size > 0) {
      for (const [name, count] of left) {
        const owner = this.#owners.get(name);
        const [entry] = owner?.line ?? [];
        if (count === 0 || owner === undefined || entry === undefined) {
          left.delete(name);
          continue;
        }
        left.set(name, count - 1);
        owner.line.delete(entry);
        owner.line.add(entry);
        this.#owners.delete(name);
        this.#owners.set(name, owner);
        yield entry;
      }
    }
  }

  /** Returns the entry with this hash, if this viewer (`viewerOf`) has sent it. */
  find({ owner = '', session }: RequestScope, hash: string): SentEntry | undefined {
    return this.#keep(this.#owners.get(owner)?.views.find(session, hash));
  }

  /** Returns the nodes that have this viewer's latest pending transaction; undefined if the viewer has none. */
  findTakers({ owner = '', session }: RequestScope): ReadonlySet<Upstream> | undefined {
    return this.#owners.get(owner)?.views.findLatest(session)?.takers;
  }

  /** Returns the pending transaction with this sender and nonce, if this viewer has sent it. */
  findNonce({ owner = '', session }: RequestScope, sender: string, nonce: bigint): SentEntry | undefined {
    const entry = this.#owners.get(owner)?.views.findNonce(session, sender, nonce);
    return entry === undefined || this.isOver(entry) ? undefined : entry;
  }

  #findOf(owner: string, hash: string): SentEntry | undefined {
    return this.#keep(this.#owners.get(owner)?.entries.get(hash));
  }

  /** Returns an entry, or removes it if it has expired. */
  #keep(entry: SentEntry | undefined): SentEntry | undefined {
    if (entry === undefined || !this.isOver(entry)) return entry;
    this.delete(entry);
    return undefined;
  }

  /** Makes an entry visible to a session. The caller must already have reserved the memory of the new view. */
  #show(entry: SentEntry, session: string | undefined): void {
    const ended = this.#owners.get(entry.owner)?.views.show(entry, session) ?? 0;
    this.#budget.giveBack(entry.owner, ended * VIEW_BYTES);
  }

  #makeRoom(name: string, bytes: number): boolean {
    for (;;) {
      const owner = this.#owners.get(name);
      const hasRoom = owner === undefined || owner.entries.size < MAX_SENT_OF_OWNER;
      if (hasRoom && this.#budget.tryTake(name, bytes)) return true;
      const [oldest] = this.#entries;
      const [ownOldest] = owner?.entries.values() ?? [];
      const leaves = oldest !== undefined && this.isOver(oldest) ? oldest : ownOldest;
      if (leaves === undefined) return false;
      this.delete(leaves);
    }
  }
}

function measure({ bytes }: Pick<SentEntry, 'bytes'>): number {
  return bytes.length + ENTRY_BYTES;
}
