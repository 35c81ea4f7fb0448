import { RecencyList } from './recency-list.ts';

type Entry<K, V> = {
  readonly key: K;
  readonly value: V;
  readonly expiresAt: number;
  readonly weight: number;
  newer: Entry<K, V> | undefined;
  older: Entry<K, V> | undefined;
};

/**
 * LRU map with expiry: entries of at most `capacity` total weight (each weighs 1 unless `weigh` returns otherwise).
 * The least recently used are evicted first, and none outlives `ttlMs`.
 */
export class Lru<K, V> {
  readonly #entries = new Map<K, Entry<K, V>>();
  readonly #order = new RecencyList<Entry<K, V>>();
  readonly #capacity: number;
  readonly #ttlMs: number;
  readonly #now: () => number;
  readonly #weigh: (value: V) => number;
  readonly #onEvict: ((key: K) => void) | undefined;
  #weight = 0;

  /**
   * @param capacity maximum total weight
   * @param now a monotonic clock in milliseconds
   * @param weigh returns the weight of a value, 1 by default
   * @param onEvict called for entries evicted for lack of room
   * @throws RangeError for a capacity below 1
   */
  constructor(
    capacity: number,
    ttlMs: number,
    now: () => number = () => performance.now(),
    weigh: (value: V) => number = () => 1,
    onEvict?: (key: K) => void,
  ) {
    if (!(capacity >= 1)) throw new RangeError('capacity below 1');
    this.#capacity = capacity;
    this.#ttlMs = ttlMs;
    this.#now = now;
    this.#weigh = weigh;
    this.#onEvict = onEvict;
  }

  get size(): number {
    return this.#entries.size;
  }

  /** Total weight of all entries. */
  get weight(): number {
    return this.#weight;
  }

  /** Iterates over all values, without counting as a use. */
  *values(): Generator<V> {
    const now = this.#now();
    for (const { value, expiresAt } of this.#entries.values()) if (expiresAt > now) yield value;
  }

  /** Iterates over all keys, without counting as a use. */
  *keys(): Generator<K> {
    const now = this.#now();
    for (const { key, expiresAt } of this.#entries.values()) if (expiresAt > now) yield key;
  }

  get(key: K): V | undefined {
    const entry = this.#entries.get(key);
    if (entry === undefined) return undefined;
    if (entry.expiresAt < Number.POSITIVE_INFINITY && entry.expiresAt <= this.#now()) {
      this.#remove(entry);
      return undefined;
    }
    this.#order.touch(entry);
    return entry.value;
  }

  /** Sets an entry. Reading does not extend an entry's life; setting it again does. */
  set(key: K, value: V): void {
    this.delete(key);
    const weight = this.#weigh(value);
    if (weight > this.#capacity) return;
    while (this.#weight + weight > this.#capacity) {
      const { oldest } = this.#order;
      this.#remove(oldest as Entry<K, V>);
      this.#onEvict?.((oldest as Entry<K, V>).key);
    }
    const expiresAt = this.#now() + this.#ttlMs;
    const entry: Entry<K, V> = { key, value, expiresAt, weight, newer: undefined, older: undefined };
    this.#weight += weight;
    this.#entries.set(key, entry);
    this.#order.add(entry);
  }

  delete(key: K): void {
    const entry = this.#entries.get(key);
    if (entry !== undefined) this.#remove(entry);
  }

  clear(): void {
    this.#entries.clear();
    this.#weight = 0;
    this.#order.clear();
  }

  #remove(entry: Entry<K, V>): void {
    this.#entries.delete(entry.key);
    this.#weight -= entry.weight;
    this.#order.remove(entry);
  }
}
