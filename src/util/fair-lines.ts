/** An owner runs for so long before others go first (the quantum of RFC 8290), milliseconds. */
const SHARE_MS = 1;
/** No owner owes more time than this, milliseconds. */
const MAX_DEBT_MS = 16;

type Line<T> = {
  readonly items: T[];
  /** Milliseconds until others go first; negative: time that the owner owes. */
  leftMs: number;
};

/**
 * A fair queue: owners share time as flows share a link (deficit round robin with new and old flows, RFC 8290, section 4.2, without
 * dropping). An owner that was not in the queue goes before those that have had a share, so that one who asks for little waits for none who
 * asks for much.
 */
export class FairLines<T> {
  /** New flows: owners that have not used a share. Next one first. */
  readonly #fresh = new Map<string, Line<T>>();
  /** Old flows: all others; a line may be empty. Next one first. */
  readonly #known = new Map<string, Line<T>>();
  #items = 0;
  #owners = 0;

  /** Owners that have items. */
  get owners(): number {
    return this.#owners;
  }

  /** Whether the owner has items. */
  has(owner: string): boolean {
    const line = this.#find(owner);
    return line !== undefined && line.items.length > 0;
  }

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

  /** Takes the next item. What is done with it is to be charged. */
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
      // An owner whose share is used waits behind the others. An owner without items stays for a round: it must not be new again at once.
      if (line.items.length > 0) line.leftMs += SHARE_MS;
      if (line.items.length > 0 || isFresh) this.#known.set(owner, line);
    }
    return undefined;
  }

  /** Charges an owner for the time that its item took. An empty queue forgets what owners owe. */
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
