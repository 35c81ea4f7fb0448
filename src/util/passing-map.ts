/** The entries are copied after this many deletions, and at least as many as there are entries. */
const COPY_AFTER = 64;

/**
 * A Map of entries that live as long as a request, under keys that do not recur.
 * V8 replaces the table of a Map as entries come and go. After the first full collection, all new tables of a Map
 * that existed then are allocated in the old generation, where each replaced table keeps its members alive until
 * the next full collection: with a normal Map 2.8 kB of every request outlived the young generation. A new Map
 * begins in the young generation again.
 */
export class PassingMap<K, V> {
  #entries = new Map<K, V>();
  #deletions = 0;

  get size(): number {
    return this.#entries.size;
  }

  get(key: K): V | undefined {
    return this.#entries.get(key);
  }

  set(key: K, value: V): void {
    this.#entries.set(key, value);
  }

  delete(key: K): void {
    if (!this.#entries.delete(key)) return;
    if (++this.#deletions < COPY_AFTER || this.#deletions < this.#entries.size) return;
    this.#deletions = 0;
    this.#entries = new Map(this.#entries);
  }

  /**
   * Empties the map.
   * @returns its keys
   */
  takeKeys(): readonly K[] {
    const keys = [...this.#entries.keys()];
    this.#entries = new Map();
    return keys;
  }
}
