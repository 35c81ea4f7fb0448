/** Quantum of an owner before others go first (RFC 8290), milliseconds. */
const SHARE_MS = 1;
/** Maximum time debt of an owner, milliseconds. */
const MAX_DEBT_MS = 16;

type Line<T> = {
  readonly items: T[];
  /** Remaining milliseconds until others go first; negative: time debt of the owner. */
  leftMs: number;
};

/**
 * Fair queue: owners share time like flows share a link (deficit round robin with new and old flows, RFC 8290,
 * section 4.2, without dropping). An owner that was not in the queue goes before those that have had a share, so
 * that small requests never wait for heavy owners.
 */
export class FairLines<T> {
  /** New flows: owners that have not used a share, next one first. */
  readonly #fresh = new Map<string, Line<T>>();
  /** Old flows: all others, next one first; a line may be empty. */
  readonly #known = new Map<string, Line<T>>();
  #items = 0;
  #owners = 0;

  /** Owners with items. */
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

  /** Takes the next item. Its execution time must be charged. */
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
      // An owner that has used its share waits behind the others. An owner without items stays for a round: it must
      // not count as new again immediately.
      if (line.items.length > 0) line.leftMs += SHARE_MS;
      if (line.items.length > 0 || isFresh) this.#known.set(owner, line);
    }
    return undefined;
  }

  /** Charges an owner for the time of its item. An empty queue forgets all debts. */
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
