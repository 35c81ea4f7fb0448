import type { Transaction } from '../../chain/transaction.ts';
import type { RequestScope } from '../../util/request-scope.ts';
import { SharedBudget } from '../../util/shared-budget.ts';
import type { Upstream } from '../upstream.ts';
import { SentViews } from './sent-views.ts';

/** How long a transaction that is in no block is remembered, and sent again where it is lost. */
export const SENT_LIFE_MS: number = 10 * 60_000;
/** Bytes of all transactions that are remembered, and the part of them that one key may have. */
const MAX_BYTES = 64 * 1024 * 1024;
const OWNER_SHARE = 0.25;
/** Transactions of one key that are remembered. */
export const MAX_SENT_OF_OWNER: number = 1_024;
/** Approximate heap size of an entry beside its bytes, and of each session that sees it. */
const ENTRY_BYTES = 1_024;
const VIEW_BYTES = 256;

/** A transaction that a node has taken, and that is in no served block as far as is known: as one key has sent it. */
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
  /** Which sessions of the key see it; `undefined` is the key without one. */
  readonly viewers: Set<string | undefined>;
  /** Nodes that have taken it and have not lost it: the same for all keys that have sent these bytes. */
  readonly takers: Set<Upstream>;
  /** How often it was looked after, and sent again, for this key. */
  checks: number;
  repeats: number;
};

/** The transactions of one key. */
type Owner = {
  /** Oldest first. */
  readonly entries: Map<string, SentEntry>;
  /** The same; the one whose turn was longest ago is the first. */
  readonly line: Set<SentEntry>;
  readonly views: SentViews;
};

/** Identity under which a request sees its own writes: its session where it has one, otherwise its key. */
export function viewerOf({ owner = '', session }: RequestScope): string {
  return session === undefined ? owner : `${owner} ${session}`;
}

/**
 * The transactions of this process that wait for a block: bounded by key, in bytes, and in time. Bytes that several keys have sent are
 * remembered for each of them, so that none can make them be forgotten for another.
 */
export class SentTransactions {
  /** Oldest first. */
  readonly #entries = new Set<SentEntry>();
  /** The key whose turn was longest ago is the first. */
  readonly #owners = new Map<string, Owner>();
  readonly #byHash = new Map<string, Set<SentEntry>>();
  readonly #budget = new SharedBudget(MAX_BYTES, OWNER_SHARE);
  readonly #now: () => number;

  /** `now` is a monotonic clock in milliseconds. */
  constructor(now: () => number) {
    this.#now = now;
  }

  /** Counts bytes that two keys have sent twice. */
  get size(): number {
    return this.#entries.size;
  }

  /** Whichever key has sent it. */
  get(hash: string): SentEntry | undefined {
    for (const entry of this.#byHash.get(hash) ?? []) {
      if (!this.isOver(entry)) return entry;
      this.delete(entry);
    }
    return undefined;
  }

  /** The same bytes as each key has sent them. */
  listSame(hash: string): readonly SentEntry[] {
    return [...(this.#byHash.get(hash) ?? [])];
  }

  isOver({ sentAt }: SentEntry): boolean {
    return this.#now() - sentAt > SENT_LIFE_MS;
  }

  /**
   * Remembers a transaction for the key that has sent it, or that another of its sessions has; the oldest of the same key make room.
   * @returns its entry; undefined where there is no room for it
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

  /** Forgets it for the key that it counts for. */
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

  /**
   * All of them, keys in turns: one of each key, then the next of each. In the next call those come first whose turn was longest ago.
   */
  *takeTurns(): Generator<SentEntry, void, undefined> {
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

  /** What this viewer has sent under this hash. */
  find({ owner = '', session }: RequestScope, hash: string): SentEntry | undefined {
    return this.#keep(this.#owners.get(owner)?.views.find(session, hash));
  }

  /** Nodes that have the latest transaction that this viewer has sent; undefined where none waits. */
  findTakers({ owner = '', session }: RequestScope): ReadonlySet<Upstream> | undefined {
    return this.#owners.get(owner)?.views.findLatest(session)?.takers;
  }

  /** The transaction that waits and in which this viewer has used a nonce of a sender. */
  findNonce({ owner = '', session }: RequestScope, sender: string, nonce: bigint): SentEntry | undefined {
    const entry = this.#owners.get(owner)?.views.findNonce(session, sender, nonce);
    return entry === undefined || this.isOver(entry) ? undefined : entry;
  }

  #findOf(owner: string, hash: string): SentEntry | undefined {
    return this.#keep(this.#owners.get(owner)?.entries.get(hash));
  }

  /** The entry, unless its time is over. */
  #keep(entry: SentEntry | undefined): SentEntry | undefined {
    if (entry === undefined || !this.isOver(entry)) return entry;
    this.delete(entry);
    return undefined;
  }

  /** A view of it has been taken from the budget where it is new. */
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
