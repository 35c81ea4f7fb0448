import { setImmediate } from 'node:timers/promises';
import { JsonBytes } from '../../packages/ethereum/primitives/json-result.ts';
import type { CacheFigures } from '../observe/sources.ts';
import type { Cache, CachedAnswer, CacheKey } from './cache.ts';
import {
  type CacheSizes,
  type CacheTables,
  countCacheBytes,
  findRecord,
  openCacheTables,
  planSizes,
} from './cache-tables.ts';
import { type EntryCounts, FifoReplacement } from './fifo-replacement.ts';
import { type LargeAnswer, LargeAnswers } from './large-answers.ts';
import { NameWriter } from './name-writer.ts';
import { describeAnswer, encodeChainPrefixes, Records } from './records.ts';

export type MemoryCacheOptions = {
  /** Maximum memory of the cache, bytes; below 128 KiB the cache stores nothing. */
  readonly bytes: number;
  /** Maximum size of an entry, bytes. */
  readonly entryBytes: number;
};

/** In-process cache with its metrics since the start. */
export interface MemoryCache extends Cache {
  get(key: CacheKey): CachedAnswer | undefined;
  readonly hits: number;
  readonly misses: number;
  readonly entries: number;
  /** Allocated memory including tables and free room, bytes; never above the limit. */
  readonly bytes: number;
  /** Number of entries evicted for lack of room. */
  readonly evictions: number;
}

/**
 * A repeated request for an entry counts as use only after half of the small queue's limit was added behind the entry. Earlier repetitions are
 * correlated references (LRU-K, SIGMOD 1993): clients repeat calls at the newest block only until the next block.
 */
const UNCOUNTED_PART = 2;
/** Time for which an eviction runs without a pause, ms. */
const EVICTION_SLICE_MS = 5;

/**
 * Byte-bounded, scan-resistant cache with S3-FIFO replacement (SOSP 2023). A new entry enters a small queue. The oldest entry of the small queue
 * moves to the main queue if it was requested again in the second half of the small queue. Otherwise the entry is evicted, and only its fingerprint
 * is stored. A new entry whose fingerprint is stored enters the main queue directly. The oldest entry of the main queue is reinserted with a
 * decremented use counter, or evicted if the counter is 0.
 * @param createNames creates a name writer, replaced in tests
 */
export function createMemoryCache(
  options: MemoryCacheOptions,
  createNames: (maxBytes: number) => NameWriter = (maxBytes) => new NameWriter(maxBytes),
): MemoryCache {
  return new FifoMemoryCache(options, createNames);
}

class FifoMemoryCache implements MemoryCache {
  readonly #sizes: CacheSizes;
  readonly #createNames: (maxBytes: number) => NameWriter;
  readonly #large = new LargeAnswers();
  readonly #counts: EntryCounts = { entries: 0, evictions: 0 };
  #tables: CacheTables | undefined;
  /** Present if `#tables` is. */
  #replacement: FifoReplacement | undefined;
  #hits = 0;
  #misses = 0;

  constructor(options: MemoryCacheOptions, createNames: (maxBytes: number) => NameWriter) {
    this.#sizes = planSizes(options);
    this.#createNames = createNames;
  }

  get hits(): number {
    return this.#hits;
  }

  get misses(): number {
    return this.#misses;
  }

  get entries(): number {
    return this.#counts.entries;
  }

  get bytes(): number {
    const tables = this.#tables;
    return tables === undefined ? 0 : countCacheBytes(tables);
  }

  get evictions(): number {
    return this.#counts.evictions;
  }

  get(key: CacheKey): CachedAnswer | undefined {
    const tables = this.#tables;
    const ref = tables?.names.write(key) === true ? findRecord(tables) : 0;
    if (tables === undefined || ref === 0) {
      this.#misses++;
      return undefined;
    }
    this.#hits++;
    const { records, small } = tables;
    const number = records.largeNumberOf(ref);
    const large = number === undefined ? undefined : this.#large.get(number);
    const comeSince = large === undefined ? small.comeSince(ref) : small.come - large.smallCome;
    if (comeSince >= this.#sizes.smallLimit / UNCOUNTED_PART || records.isMain(ref)) records.noteUse(ref);
    return large === undefined ? records.readText(ref) : new JsonBytes(large.value);
  }

  set(key: CacheKey, answer: CachedAnswer): void {
    const { limit, entryLimit, inlineLimit } = this.#sizes;
    if (limit === 0) return;
    this.#tables ??= openCacheTables(this.#sizes, this.#createNames);
    const tables = this.#tables;
    this.#replacement ??= new FifoReplacement(this.#sizes, tables, this.#large, this.#counts);
    const replacement = this.#replacement;
    const { names, ghost, records, small, main } = tables;
    if (!names.write(key)) return;
    const { hash, tag } = names;
    const old = findRecord(tables);
    const isMain = old === 0 ? ghost.take(hash, tag) : records.isMain(old);
    if (old !== 0) replacement.remove(old);
    const answerBytes = typeof answer === 'string' ? Buffer.byteLength(answer) : answer.length;
    if (Records.countBytes(names.length, answerBytes) > entryLimit) return;
    const isInline = answerBytes <= inlineLimit;
    const queue = isMain ? main : small;
    const largeBytes = isInline ? 0 : answerBytes;
    const length = Records.countBytes(names.length, isInline ? answerBytes : 0);
    if (!replacement.makeRoom(queue, length, largeBytes)) return;
    const ref = queue.add(length);
    queue.addLarge(largeBytes);
    const number = isInline ? 0 : this.#keepLarge(answer, { smallCome: small.come, ref, bytes: answerBytes });
    records.write(ref, names, isMain, describeAnswer(answer, answerBytes, isInline, number));
    this.#counts.entries++;
    replacement.drop(tables.index.add(hash, tag, ref));
  }

  evictBlock(blockHash: string): void {
    const tables = this.#tables;
    if (tables?.names.writeBlock(blockHash) !== true) return;
    const { names, records } = tables;
    let ref = records.findOfBlock(names, 0);
    while (ref !== 0) {
      const next = records.nextOfBlock(ref);
      this.#replacement?.remove(ref);
      ref = next === 0 ? 0 : records.findOfBlock(names, next);
    }
  }

  async evictChain(chainId: string | undefined): Promise<void> {
    const tables = this.#tables;
    if (tables === undefined) return;
    const { records } = tables;
    const prefixes = chainId === undefined ? undefined : encodeChainPrefixes(chainId);
    let pauseAt = performance.now() + EVICTION_SLICE_MS;
    for (let list = 0; list < records.lists; list++) {
      for (const ref of records.listEntries(list))
        if (prefixes === undefined || records.hasPrefix(ref, prefixes)) this.#replacement?.remove(ref);
      if (performance.now() < pauseAt) continue;
      await setImmediate();
      // The cache may have been closed or emptied during the pause.
      if (this.#tables !== tables) return;
      pauseAt = performance.now() + EVICTION_SLICE_MS;
    }
  }

  describe(): readonly CacheFigures[] {
    const { hits, misses, bytes, entries, evictions } = this;
    return [{ tier: 'memory', hits, misses, bytes, entries, evictions, faults: undefined }];
  }

  async close(): Promise<void> {
    this.#large.clear();
    this.#tables = undefined;
    this.#replacement = undefined;
    this.#counts.entries = 0;
  }

  /** @returns number of the stored answer */
  #keepLarge(answer: CachedAnswer, facts: Omit<LargeAnswer, 'value'>): number {
    return this.#large.add(
      answer,
      facts,
      (large, bytes) => this.#replacement?.growLarge(large, bytes) === true,
    );
  }
}
