/** Tables of what is below a root, which says all of it: entries never change. The tables used longest ago leave first. */
export class RootTables<V> {
  /** The one used last comes last. */
  readonly #tables = new Map<string, Map<string, V>>();
  readonly #maxEntries: number;
  #entries = 0;

  /** @param maxEntries of all tables together */
  constructor(maxEntries: number) {
    this.#maxEntries = maxEntries;
  }

  /** Of all tables together. */
  get size(): number {
    return this.#entries;
  }

  get(root: string, key: string): V | undefined {
    const table = this.#tables.get(root);
    if (table === undefined) return undefined;
    this.#tables.delete(root);
    this.#tables.set(root, table);
    return table.get(key);
  }

  set(root: string, key: string, value: V): void {
    const table = this.#tables.get(root) ?? new Map<string, V>();
    this.#tables.delete(root);
    this.#tables.set(root, table);
    if (!table.has(key)) this.#entries++;
    table.set(key, value);
    for (const [oldest, { size }] of this.#tables) {
      if (this.#entries <= this.#maxEntries) return;
      this.#tables.delete(oldest);
      this.#entries -= size;
    }
  }
}
