/** After so many deletions, and at least as many as there are entries, the entries are copied. */
const COPY_AFTER = 64;

/**
 * A Map of what is there for the time of a request, under keys that do not come again.
 *
 * V8 replaces the table of a Map as entries come and go. From the first collection of the whole heap on, the tables of a Map that was
 * there then are all made in the old generation, where each keeps alive what it held when it was replaced, until the next such
 * collection: with a plain Map 2.8 kB of every request outlived the young generation. A new Map begins in the young generation again.
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

  /** Empties it. @returns the keys of what was in it */
  takeKeys(): readonly K[] {
    const keys = [...this.#entries.keys()];
    this.#entries = new Map();
    return keys;
  }
}
