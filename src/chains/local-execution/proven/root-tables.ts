import { RecencyList } from '../../../util/recency-list.ts';

/** Heap size of a table including its root; measured, bytes. */
const TABLE_BYTES = 300;

type Table<V> = {
  readonly root: string;
  readonly entries: Map<string, V>;
  newer: Table<V> | undefined;
  older: Table<V> | undefined;
};

/**
 * Tables of values below roots, one table per root. A root commits to its values, so entries never change. The least recently used tables are evicted
 * first.
 */
export class RootTables<V> {
  readonly #tables = new Map<string, Table<V>>();
  /** Tables in the order of their last use. */
  readonly #order = new RecencyList<Table<V>>();
  readonly #maxBytes: number;
  readonly #entryBytes: number;
  #bytes = 0;

  /**
   * @param maxBytes bound on the bytes of all tables
   * @param entryBytes size of an entry with its key
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

  /** Lists all entries of a table. */
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
