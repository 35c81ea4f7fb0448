import { createHash } from 'node:crypto';
import type { CacheFigures } from '../observe/sources.ts';
import { CircuitBreaker } from '../shared-store/redis/circuit-breaker.ts';
import { createRedisClient, type RedisClient, type RedisFault } from '../shared-store/redis/redis-client.ts';
import { parseRedisUrl } from '../shared-store/redis/redis-url.ts';
import { completeWithin, TIMED_OUT } from '../util/complete-within.ts';
import { SharedBudget } from '../util/shared-budget.ts';
import type { Cache, CachedAnswer, CacheKey } from './cache.ts';
import { boundFrameBytes, decodeFrame, encodeFrame } from './frame.ts';
import { composeName, readChainId } from './key-name.ts';

/** Format version in the keys: programs with different formats do not read each other's entries. */
const FORMAT = 'v2';
/** Number of keys that one step of an eviction examines. */
const SCAN_COUNT = 500;
/** Timeout of one step of an eviction, ms. */
const SCAN_LIMIT_MS = 5_000;
/** Maximum memory of entries that are being written, text and frame together, bytes. */
const WRITING_BYTES = 32 * 1024 * 1024;
/** Owner name in the budget for the memory of entries that are being written. */
const WRITES = 'writes';
/**
 * Minimum timeout of decoding, ms: inflating takes about 5 ms per megabyte on a thread, and longer if all threads are busy. If `limitMs` is longer,
 * `limitMs` is the timeout.
 */
const UNPACK_LIMIT_MS = 50;

export type RedisCacheOptions = {
  /** URL of the server. The URL may contain credentials, so it is never logged. */
  readonly url: string;
  /** Timeout of a reply, ms. */
  readonly limitMs: number;
  readonly ttlMs: number;
  readonly prefix: string;
  /** Maximum size of an entry, characters. */
  readonly entryBytes: number;
  /** Called for each fault. Faults may be frequent, so the callback should count them and not log each one. */
  readonly onFault: (fault: RedisFault) => void;
};

/** Cache shared by several processes, with the metrics of this process since its start. */
export interface RedisCache extends Cache {
  get(key: CacheKey): undefined | Promise<string | undefined>;
  readonly hits: number;
  readonly misses: number;
  readonly faults: number;
}

/**
 * Creates a cache in Valkey or Redis. A reply after the timeout is a miss. Only answers that were stored under the same key are returned. While the
 * server is unavailable, all look-ups are misses.
 * @throws RangeError for an invalid URL
 */
export function createRedisCache(options: RedisCacheOptions): RedisCache {
  return new SharedCache(options);
}

class SharedCache implements RedisCache {
  readonly #options: RedisCacheOptions;
  readonly #client: RedisClient;
  readonly #breaker = new CircuitBreaker();
  readonly #writing = new SharedBudget(WRITING_BYTES, 1);
  #hits = 0;
  #misses = 0;
  #faults = 0;

  constructor(options: RedisCacheOptions) {
    this.#options = options;
    this.#client = createRedisClient({
      target: parseRedisUrl(options.url),
      valueBytes: boundFrameBytes(options.entryBytes),
      onFault: (fault) => this.#report(fault),
    });
  }

  get hits(): number {
    return this.#hits;
  }

  get misses(): number {
    return this.#misses;
  }

  get faults(): number {
    return this.#faults;
  }

  get(key: CacheKey): undefined | Promise<string | undefined> {
    if (this.#client.ready && this.#breaker.admit()) return this.#look(key);
    this.#misses++;
    return undefined;
  }

  set(key: CacheKey, answer: CachedAnswer): void {
    if (!this.#client.ready || this.#breaker.isOpen) return;
    const name = composeName(key);
    const characters = name.length + answer.length;
    if (characters > this.#options.entryBytes) return;
    const bytes = 2 * boundFrameBytes(characters);
    if (!this.#writing.tryTake(WRITES, bytes)) return;
    void this.#write(key, name, typeof answer === 'string' ? answer : answer.text, bytes);
  }

  /** Does nothing: an answer stays correct for its block hash. Entries of an orphaned block are no longer requested, and expire. */
  evictBlock(): void {}

  async evictChain(chainId: string | undefined): Promise<void> {
    const { prefix } = this.#options;
    const pattern = `${prefix}:${FORMAT}:${chainId === undefined ? '' : `${chainId}:`}*`;
    let cursor = '0';
    do {
      const reply = await this.#step('SCAN', cursor, 'MATCH', pattern, 'COUNT', SCAN_COUNT);
      const [next, keys] = reply as readonly [string, readonly string[]];
      if (keys.length > 0) await this.#step('UNLINK', ...keys);
      cursor = next;
    } while (cursor !== '0');
  }

  describe(): readonly CacheFigures[] {
    const { hits, misses, faults } = this;
    const unknown = { bytes: undefined, entries: undefined, evictions: undefined };
    return [{ tier: 'shared', hits, misses, faults, ...unknown }];
  }

  async close(): Promise<void> {
    this.#client.close();
  }

  /** Runs one step of an eviction. @throws Error if there is no reply */
  async #step(command: string, ...args: readonly (string | number)[]): Promise<unknown> {
    await this.#client.waitUntilReady(SCAN_LIMIT_MS);
    const reply = await completeWithin(this.#client.send(command, ...args), SCAN_LIMIT_MS);
    if (reply === undefined || reply === TIMED_OUT) throw new Error('the shared cache does not answer');
    return reply;
  }

  async #look(key: CacheKey): Promise<string | undefined> {
    const { limitMs, entryBytes } = this.#options;
    const frame = await completeWithin(this.#client.get(this.#locate(key)), limitMs);
    if (frame === TIMED_OUT) return this.#miss('timeout');
    if (frame === undefined) return this.#fail();
    if (frame === null) return this.#miss();
    const unpacking = decodeFrame(frame, composeName(key), 2 * entryBytes);
    const answer = await completeWithin(unpacking, Math.max(UNPACK_LIMIT_MS, limitMs));
    if (answer === TIMED_OUT) return this.#miss();
    if (answer === undefined) return this.#miss('garbage');
    this.#breaker.succeed();
    this.#hits++;
    return answer;
  }

  async #write(key: CacheKey, name: string, answer: string, bytes: number): Promise<void> {
    try {
      await this.#client.set(this.#locate(key), await encodeFrame(name, answer), this.#options.ttlMs);
    } finally {
      this.#writing.giveBack(WRITES, bytes);
    }
  }

  #locate(key: CacheKey): string {
    const request = createHash('sha256').update(key.request).digest('base64url');
    return `${this.#options.prefix}:${FORMAT}:${readChainId(key)}:${key.blockHash}:${request}`;
  }

  /** Counts a miss. A miss without a fault counts as a success of the server. */
  #miss(fault?: RedisFault): undefined {
    if (fault !== undefined) {
      this.#report(fault);
      return this.#fail();
    }
    this.#misses++;
    this.#breaker.succeed();
  }

  /** Counts a failure. After several consecutive failures, the connection is replaced: it may hang, or replies may no longer match their requests. */
  #fail(): undefined {
    this.#misses++;
    if (this.#breaker.fail()) this.#client.reconnect();
  }

  #report(fault: RedisFault): void {
    this.#faults++;
    this.#options.onFault(fault);
  }
}
