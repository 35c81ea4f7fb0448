/** Time that an owner may use before other owners have priority, milliseconds. RFC 8290 calls this time the quantum. */
const SHARE_MS = 1;
/** Maximum time debt of an owner, milliseconds. */
const MAX_DEBT_MS = 16;

type Line<T> = {
  readonly items: T[];
  /** Milliseconds that the owner may still use before other owners have priority. A negative number is the owner's time debt. */
  leftMs: number;
};

/**
 * Fair queue in which owners share time as flows share a link: deficit round robin with new and old flows (RFC 8290, section 4.2, without dropping). An owner
 * that was not in the queue goes before owners that have used their share. Small requests therefore never wait for heavy owners.
 */
export class FairLines<T> {
  /** New flows of RFC 8290: owners that have not used up a share, in the order in which they are served. */
  readonly #fresh = new Map<string, Line<T>>();
  /** Old flows of RFC 8290: all other owners of the queue, in the order in which they are served. The line of an old flow may be empty. */
  readonly #known = new Map<string, Line<T>>();
  #items = 0;
  #owners = 0;

  /** Number of owners with items. */
  get owners(): number {
    return this.#owners;
  }

  /** Whether the owner has items. */
  has(owner: string): boolean {
    const line = this.#find(owner);
    return line !== undefined && line.items.length > 0;
  }

  /** Appends an item to the owner's line. */
  add(owner: string, item: T): void {
    let line = this.#find(owner);
    if (line === undefined) {
      line = { items: [], leftMs: SHARE_MS };
      this.#fresh.set(owner, line);
    }
    if (line.items.length === 0) this.#owners++;
    line.items.push(item);
    this.#items++;
  }

  /** Takes the next item. The caller must charge the owner for the time of the item. */
  take(): { readonly owner: string; readonly item: T } | undefined {
    while (this.#items > 0) {
      const isFresh = this.#fresh.size > 0;
      const lines = isFresh ? this.#fresh : this.#known;
      const [owner, line] = lines.entries().next().value as [string, Line<T>];
      if (line.items.length > 0 && line.leftMs > 0) {
        this.#items--;
        if (line.items.length === 1) this.#owners--;
        return { owner, item: line.items.shift() as T };
      }
      lines.delete(owner);
      // An owner that has used its share waits behind the other owners. A new owner without further items stays in the queue for a round, so that the
      // owner's next item does not make it a new owner again immediately.
      if (line.items.length > 0) line.leftMs += SHARE_MS;
      if (line.items.length > 0 || isFresh) this.#known.set(owner, line);
    }
    return undefined;
  }

  /** Charges an owner for the time that its item took. When the queue becomes empty, the time debts of all owners are dropped. */
  charge(owner: string, ms: number): void {
    const line = this.#find(owner);
    if (line !== undefined) line.leftMs = Math.max(line.leftMs - ms, -MAX_DEBT_MS);
    if (this.#items > 0) return;
    this.#fresh.clear();
    this.#known.clear();
  }

  #find(owner: string): Line<T> | undefined {
    return this.#fresh.get(owner) ?? this.#known.get(owner);
  }
}
