import { RecencyList } from '../util/recency-list.ts';

/** A table with its root, as the heap grows, measured; bytes. */
const TABLE_BYTES = 300;

type Table<V> = {
  readonly root: string;
  readonly entries: Map<string, V>;
  newer: Table<V> | undefined;
  older: Table<V> | undefined;
};

/** Tables of what is below a root, which says all of it: entries never change. The tables used longest ago leave first. */
export class RootTables<V> {
  readonly #tables = new Map<string, Table<V>>();
  /** By their last use. */
  readonly #order = new RecencyList<Table<V>>();
  readonly #maxBytes: number;
  readonly #entryBytes: number;
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
    this.#order.touch(table);
    return table.entries.get(key);
  }

  has(root: string): boolean {
    return this.#tables.has(root);
  }

  /** All entries of a table. */
  list(root: string): Iterable<readonly [key: string, value: V]> {
    return this.#tables.get(root)?.entries ?? [];
  }

  set(root: string, key: string, value: V): void {
    const { entries } = this.#open(root);
    if (!entries.has(key)) this.#bytes += this.#entryBytes;
    entries.set(key, value);
    for (
      let { oldest } = this.#order;
      oldest !== undefined && this.#bytes > this.#maxBytes;
      { oldest } = this.#order
    ) {
      this.#order.remove(oldest);
      this.#tables.delete(oldest.root);
      this.#bytes -= TABLE_BYTES + oldest.entries.size * this.#entryBytes;
    }
  }

  /** The table of a root, which is used now. */
  #open(root: string): Table<V> {
    const known = this.#tables.get(root);
    if (known !== undefined) {
      this.#order.touch(known);
      return known;
    }
    const table: Table<V> = { root, entries: new Map(), newer: undefined, older: undefined };
    this.#tables.set(root, table);
    this.#order.add(table);
    this.#bytes += TABLE_BYTES;
    return table;
  }
}
