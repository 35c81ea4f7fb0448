import type { SentEntry } from './sent-transactions.ts';

/** Sessions of one key that see what they have sent; the one that has sent longest ago makes room for another. */
export const MAX_SESSIONS_OF_OWNER: number = 1_024;

/** The transactions of one session, or of the key without one. */
type View = {
  readonly byHash: Map<string, SentEntry>;
  /** By sender, then nonce. */
  readonly nonces: Map<string, Map<bigint, SentEntry>>;
  /** The one that it has sent last; undefined where that has to be looked for. */
  latest: SentEntry | undefined;
};

/** Which waiting transactions the sessions of one key see: each what it has sent itself. The key without a session is `undefined`. */
export class SentViews {
  /** The one that has sent longest ago is the first. */
  readonly #views = new Map<string | undefined, View>();

  /** Sessions, and the key without one, that see something. */
  get size(): number {
    return this.#views.size;
  }

  find(session: string | undefined, hash: string): SentEntry | undefined {
    return this.#views.get(session)?.byHash.get(hash);
  }

  findNonce(session: string | undefined, sender: string, nonce: bigint): SentEntry | undefined {
    return this.#views.get(session)?.nonces.get(sender)?.get(nonce);
  }

  findLatest(session: string | undefined): SentEntry | undefined {
    const view = this.#views.get(session);
    if (view === undefined) return undefined;
    view.latest ??= [...view.byHash.values()].at(-1);
    return view.latest;
  }

  /** @returns how many views of transactions have ended, to make room for a session */
  show(entry: SentEntry, session: string | undefined): number {
    const known = this.#views.get(session);
    const view: View = known ?? { byHash: new Map(), nonces: new Map(), latest: undefined };
    const ended = known === undefined && this.#views.size >= MAX_SESSIONS_OF_OWNER ? this.#endOldest() : 0;
    this.#views.delete(session);
    this.#views.set(session, view);
    view.byHash.delete(entry.hash);
    view.byHash.set(entry.hash, entry);
    view.latest = entry;
    const nonces = view.nonces.get(entry.sender) ?? new Map<bigint, SentEntry>();
    nonces.set(entry.transaction.nonce, entry);
    view.nonces.set(entry.sender, nonces);
    entry.viewers.add(session);
    return ended;
  }

  /** Ends all views of a transaction. */
  hide(entry: SentEntry): void {
    for (const session of entry.viewers) {
      const view = this.#views.get(session);
      if (view === undefined) continue;
      view.byHash.delete(entry.hash);
      if (view.latest === entry) view.latest = undefined;
      if (view.byHash.size === 0) this.#views.delete(session);
      const nonces = view.nonces.get(entry.sender);
      if (nonces?.get(entry.transaction.nonce) !== entry) continue;
      nonces.delete(entry.transaction.nonce);
      if (nonces.size === 0) view.nonces.delete(entry.sender);
    }
    entry.viewers.clear();
  }

  #endOldest(): number {
    for (const [session, { byHash }] of this.#views) {
      this.#views.delete(session);
      for (const entry of byHash.values()) entry.viewers.delete(session);
      return byHash.size;
    }
    return 0;
  }
}
