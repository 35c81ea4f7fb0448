/** A table with its root, as the heap grows, measured; bytes. */
const TABLE_BYTES = 300;

/** Tables of what is below a root, which says all of it: entries never change. The tables used longest ago leave first. */
export class RootTables<V> {
  /** The one used last comes last. */
  readonly #tables = new Map<string, Map<string, V>>();
  readonly #maxBytes: number;
  readonly #entryBytes: number;
  #lastRoot: string | undefined;
  #bytes = 0;

  /**
   * @param maxBytes of all tables together
   * @param entryBytes of an entry with its key
   */
  constructor(maxBytes: number, entryBytes: number) {
    this.#maxBytes = maxBytes;
    this.#entryBytes = entryBytes;
  }

  /** Of all tables together. */
  get bytes(): number {
    return this.#bytes;
  }

  get(root: string, key: string): V | undefined {
    const table = this.#tables.get(root);
    if (table === undefined) return undefined;
    this.#putLast(root, table);
    return table.get(key);
  }

  has(root: string): boolean {
    return this.#tables.has(root);
  }

  /** All entries of a table. */
  list(root: string): Iterable<readonly [key: string, value: V]> {
    return this.#tables.get(root) ?? [];
  }

  set(root: string, key: string, value: V): void {
    const known = this.#tables.get(root);
    const table = known ?? new Map<string, V>();
    this.#putLast(root, table);
    if (known === undefined) this.#bytes += TABLE_BYTES;
    if (!table.has(key)) this.#bytes += this.#entryBytes;
    table.set(key, value);
    for (const [oldest, { size }] of this.#tables) {
      if (this.#bytes <= this.#maxBytes) return;
      this.#tables.delete(oldest);
      if (oldest === this.#lastRoot) this.#lastRoot = undefined;
      this.#bytes -= TABLE_BYTES + size * this.#entryBytes;
    }
  }

  #putLast(root: string, table: Map<string, V>): void {
    if (root === this.#lastRoot) return;
    this.#tables.delete(root);
    this.#tables.set(root, table);
    this.#lastRoot = root;
  }
}
