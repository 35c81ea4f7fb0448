import { RecencyList } from './recency-list.ts';

type Entry<K, V> = {
  readonly key: K;
  readonly value: V;
  readonly expiresAt: number;
  readonly weight: number;
  /** Sequence number of the last read or write of this entry, counted over all entries. */
  use: number;
  newer: Entry<K, V> | undefined;
  older: Entry<K, V> | undefined;
};

/**
 * Life of an entry, ms. A number is the time from a write until expiry. `idleMs` is the time from the last read or write until removal. An idle entry
 * may remain for up to twice `idleMs`.
 */
export type Life = number | { readonly idleMs: number };

/**
 * Life of entries that are keyed by block, account or trie node. Because of this life, the memory of such a cache does not grow with the number of
 * blocks.
 */
export const BLOCK_LIFE: Life = { idleMs: 5 * 60_000 };

/** Maximum number of ended entries that one write removes, so that writes stay cheap. */
const LEAVING = 2;

/**
 * LRU map with at most `capacity` total weight. Each entry weighs 1 unless `weigh` returns another weight. For lack of room, the least recently used entries
 * are evicted first. Entries whose life is over are removed when others are added.
 */
export class Lru<K, V> {
  readonly #entries = new Map<K, Entry<K, V>>();
  readonly #order = new RecencyList<Entry<K, V>>();
  readonly #capacity: number;
  readonly #ttlMs: number;
  readonly #idleMs: number;
  readonly #now: () => number;
  readonly #weigh: (value: V) => number;
  readonly #onEvict: ((key: K) => void) | undefined;
  #weight = 0;
  #uses = 0;
  /** Sequence number of the last use before the time `#markedAt`. */
  #markedUse = 0;
  #markedAt = 0;
  /** An entry is idle if the sequence number of its last use is at most this number. */
  #idleUse = 0;

  /**
   * @param capacity maximum total weight
   * @param now a monotonic clock in milliseconds
   * @param weigh returns the weight of a value, 1 by default
   * @param onEvict called for each entry that is evicted for lack of room
   * @throws RangeError for a capacity below 1
   */
  constructor(
    capacity: number,
    life: Life,
    now: () => number = () => performance.now(),
    weigh: (value: V) => number = () => 1,
    onEvict?: (key: K) => void,
  ) {
    if (!(capacity >= 1)) throw new RangeError('the capacity must be at least 1');
    this.#capacity = capacity;
    this.#ttlMs = typeof life === 'number' ? life : Number.POSITIVE_INFINITY;
    this.#idleMs = typeof life === 'number' ? Number.POSITIVE_INFINITY : life.idleMs;
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

  /** Iterates over all values. Iteration does not count as a use. */
  *values(): Generator<V> {
    const now = this.#now();
    for (const { value, expiresAt } of this.#entries.values()) if (expiresAt > now) yield value;
  }

  /** Iterates over all keys. Iteration does not count as a use. */
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
    entry.use = ++this.#uses;
    this.#order.touch(entry);
    return entry.value;
  }

  /** Sets an entry. Setting an entry again renews its time until expiry; reading does not. */
  set(key: K, value: V): void {
    this.delete(key);
    const weight = this.#weigh(value);
    if (weight > this.#capacity) return;
    while (this.#weight + weight > this.#capacity) {
      const { oldest } = this.#order;
      this.#remove(oldest as Entry<K, V>);
      this.#onEvict?.((oldest as Entry<K, V>).key);
    }
    const now = this.#now();
    this.#dropEnded(now);
    const expiresAt = now + this.#ttlMs;
    const use = ++this.#uses;
    const entry: Entry<K, V> = { key, value, expiresAt, weight, use, newer: undefined, older: undefined };
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

  /** Removes some of the least recently used entries, if their life is over. */
  #dropEnded(now: number): void {
    if (now - this.#markedAt >= this.#idleMs) {
      this.#idleUse = this.#markedUse;
      this.#markedUse = this.#uses;
      this.#markedAt = now;
    }
    for (let i = 0; i < LEAVING; i++) {
      const { oldest } = this.#order;
      if (oldest === undefined || (oldest.expiresAt > now && oldest.use > this.#idleUse)) return;
      this.#remove(oldest);
    }
  }

  #remove(entry: Entry<K, V>): void {
    this.#entries.delete(entry.key);
    this.#weight -= entry.weight;
    this.#order.remove(entry);
  }
}
