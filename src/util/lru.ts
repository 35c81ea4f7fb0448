type Entry<V> = { readonly value: V; readonly expiresAt: number };

/** A map that forgets: at most `capacity` entries, the least recently used leave first, none outlives `ttlMs`. */
export class Lru<K, V> {
  readonly #entries = new Map<K, Entry<V>>();
  readonly #capacity: number;
  readonly #ttlMs: number;
  readonly #now: () => number;

  /** `now` is a monotonic clock in milliseconds. */
  constructor(capacity: number, ttlMs: number, now: () => number = () => performance.now()) {
    if (!(capacity >= 1)) throw new RangeError('capacity below 1');
    this.#capacity = capacity;
    this.#ttlMs = ttlMs;
    this.#now = now;
  }

  get size(): number {
    return this.#entries.size;
  }

  get(key: K): V | undefined {
    const entry = this.#entries.get(key);
    if (entry === undefined) return undefined;
    this.#entries.delete(key);
    if (entry.expiresAt <= this.#now()) return undefined;
    this.#entries.set(key, entry);
    return entry.value;
  }

  /** Reading does not lengthen an entry's life; setting it again does. */
  set(key: K, value: V): void {
    this.#entries.delete(key);
    if (this.#entries.size >= this.#capacity) {
      const oldest = this.#entries.keys().next();
      if (!oldest.done) this.#entries.delete(oldest.value);
    }
    this.#entries.set(key, { value, expiresAt: this.#now() + this.#ttlMs });
  }

  delete(key: K): void {
    this.#entries.delete(key);
  }

  clear(): void {
    this.#entries.clear();
  }
}
