import type { SentEntry } from './sent-transactions.ts';

/** Maximum number of sessions per API key that see their own transactions. The session that has sent least recently is dropped first. */
export const MAX_SESSIONS_OF_OWNER: number = 1_024;

/** Pending transactions that one session sees, or requests without a session. */
type View = {
  readonly byHash: Map<string, SentEntry>;
  /** Entries by sender, and then by nonce. */
  readonly nonces: Map<string, Map<bigint, SentEntry>>;
  /** Pending transaction that was added last; undefined if it was removed and has to be searched again. */
  latest: SentEntry | undefined;
};

/**
 * Pending transactions that the sessions of one API key see. A session sees only the transactions that it has sent itself. All requests without a
 * session name count as one session, `undefined`.
 */
export class SentViews {
  /** Views by session; the session that has sent least recently is first. */
  readonly #views = new Map<string | undefined, View>();

  /** Number of sessions that see a transaction. Requests without a session name count as one session. */
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

  /**
   * Makes a transaction visible to a session.
   * @returns the number of transactions in the view of another session that was removed to make room; 0 if no view was removed
   */
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

  /** Hides a transaction from all sessions. */
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
