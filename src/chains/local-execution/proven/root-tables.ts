import { RecencyList } from '../../../util/recency-list.ts';

/** Measured heap size of an empty table with its root, bytes. */
const TABLE_BYTES = 300;

type Table<V> = {
  readonly root: string;
  readonly entries: Map<string, V>;
  newer: Table<V> | undefined;
  older: Table<V> | undefined;
};

/**
 * One table of values per trie root. The entries of a table never change, because the root commits to the values. The least recently used tables are
 * evicted first.
 */
export class RootTables<V> {
  readonly #tables = new Map<string, Table<V>>();
  /** Tables in the order of their last use. */
  readonly #order = new RecencyList<Table<V>>();
  readonly #maxBytes: number;
  readonly #entryBytes: number;
  #bytes = 0;

  /**
   * @param maxBytes limit on the heap size of all tables, bytes
   * @param entryBytes heap size of an entry with its key, bytes
   */
  constructor(maxBytes: number, entryBytes: number) {
    this.#maxBytes = maxBytes;
    this.#entryBytes = entryBytes;
  }

  /** Approximate heap size of all tables, bytes. */
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

  /** Lists all entries of a root's table, without marking the table as used. */
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

  /** Returns the table of a root and marks it as used; creates it if it does not exist. */
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
