/** What an owner may use before the next one comes first, milliseconds. */
const SHARE_MS = 1;
/** What an owner has used beyond its share counts up to here, milliseconds. */
const MAX_DEBT_MS = 16;

type Line<T> = {
  readonly items: T[];
  /** What is left of its share. */
  leftMs: number;
};

/**
 * Items that wait, a line for each owner. Owners share time, not items: each has its share before the next one, and who has used more is
 * passed over until that is made up for. An owner that comes anew goes before those that have had a share, so that one who asks for little
 * waits for none who asks for much (RFC 8290, section 4.2, without dropping).
 */
export class FairLines<T> {
  /** Owners that have not used a share. Next one first. */
  readonly #fresh = new Map<string, Line<T>>();
  /** All others; a line may be empty. Next one first. */
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
      // One that has used its share waits behind the others; one that has nothing left to do stays for a round, so that it is not fresh at once.
      if (line.items.length > 0) line.leftMs += SHARE_MS;
      if (line.items.length > 0 || isFresh) this.#known.set(owner, line);
    }
    return undefined;
  }

  /** Charges what was done with an item. Where nothing waits any more, nobody has used too much. */
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
