import { setImmediate } from 'node:timers/promises';
import { JsonBytes, SharedBytes } from '../../packages/ethereum/primitives/json-result.ts';
import type { CacheFigures } from '../observe/sources.ts';
import type { Cache, CachedAnswer, CacheKey } from './cache.ts';
import { Ghost } from './ghost.ts';
import { NameIndex } from './name-index.ts';
import { NameWriter } from './name-writer.ts';
import { RecordQueue } from './record-queue.ts';
import { describeAnswer, encodeChainPrefixes, Records } from './records.ts';
import { Segments } from './segments.ts';

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

const KiB = 1024;
const MiB = 1024 * KiB;

const MIN_BYTES = 128 * KiB;
/** The small queue contains entries without a second request. The limit of the small queue is the smaller of 4 MiB and 1/8 of the cache's limit. */
const SMALL_QUEUE_BYTES = 4 * MiB;
const SMALL_QUEUE_PART = 8;
/**
 * A repeated request for an entry counts as use only after half of the small queue's limit was added behind the entry. Earlier repetitions are
 * correlated references (LRU-K, SIGMOD 1993): clients repeat calls at the newest block only until the next block.
 */
const UNCOUNTED_PART = 2;
/** A segment is the total limit divided by this number. */
const SEGMENT_PART = 16;
const MIN_SEGMENT_BYTES = 4 * KiB;
const MAX_SEGMENT_BYTES = 256 * KiB;
/**
 * An answer is stored inside a segment if its size is at most 1/8 of the segment and at most a maximum. The remaining bytes of a segment limit the
 * length of an entry's name.
 */
const INLINE_PART = 8;
const MAX_INLINE_BYTES = 8 * KiB;
/**
 * Number of table slots: the limit on bytes divided by this number. Few entries are smaller than 256 bytes, because an entry contains the name of a
 * call and usually a 32-byte word.
 */
const BYTES_PER_PLACE = 256;
const BYTES_PER_FINGERPRINT = 256;
const BYTES_PER_BLOCK = 1_024;
/**
 * Maximum number of main-queue entries that are reinserted to make room for one new entry. When the number is reached, the oldest entry is evicted
 * even if it was requested again.
 */
const MOVES = 32;

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

/** Answer outside of the segments; `bytes` includes the data derived from the answer. */
type Large = {
  readonly value: SharedBytes;
  /** Total bytes ever added to the small queue (`RecordQueue.come`) at the time when this answer was added. */
  readonly smallCome: number;
  ref: number;
  bytes: number;
};

type Tables = {
  readonly names: NameWriter;
  readonly segments: Segments;
  readonly records: Records;
  readonly index: NameIndex;
  readonly ghost: Ghost;
  readonly small: RecordQueue;
  readonly main: RecordQueue;
  /** Memory of all tables except the segments, bytes. */
  readonly bytes: number;
};

class FifoMemoryCache implements MemoryCache {
  readonly #createNames: (maxBytes: number) => NameWriter;
  readonly #limit: number;
  readonly #entryLimit: number;
  readonly #smallLimit: number;
  readonly #segmentBytes: number;
  readonly #inlineLimit: number;
  /** Tables of the cache, which are allocated when the first entry is added. */
  #tables: Tables | undefined;
  readonly #large: (Large | undefined)[] = [];
  readonly #freeNumbers: number[] = [];
  #moves = 0;
  #entries = 0;
  #hits = 0;
  #misses = 0;
  #evictions = 0;

  constructor({ bytes, entryBytes }: MemoryCacheOptions, createNames: (maxBytes: number) => NameWriter) {
    this.#createNames = createNames;
    this.#limit = bytes < MIN_BYTES ? 0 : bytes;
    this.#entryLimit = Math.min(entryBytes, this.#limit);
    this.#smallLimit = Math.min(SMALL_QUEUE_BYTES, this.#limit / SMALL_QUEUE_PART);
    this.#segmentBytes = Math.max(
      MIN_SEGMENT_BYTES,
      Math.min(MAX_SEGMENT_BYTES, roundDown(this.#limit / SEGMENT_PART)),
    );
    this.#inlineLimit = Math.min(MAX_INLINE_BYTES, this.#segmentBytes / INLINE_PART);
  }

  get hits(): number {
    return this.#hits;
  }

  get misses(): number {
    return this.#misses;
  }

  get entries(): number {
    return this.#entries;
  }

  get bytes(): number {
    const tables = this.#tables;
    return tables === undefined ? 0 : countBytes(tables);
  }

  get evictions(): number {
    return this.#evictions;
  }

  get(key: CacheKey): CachedAnswer | undefined {
    const tables = this.#tables;
    const ref = tables?.names.write(key) === true ? find(tables) : 0;
    if (tables === undefined || ref === 0) {
      this.#misses++;
      return undefined;
    }
    this.#hits++;
    const { records, small } = tables;
    const number = records.largeNumberOf(ref);
    const large = number === undefined ? undefined : (this.#large[number] as Large);
    const comeSince = large === undefined ? small.comeSince(ref) : small.come - large.smallCome;
    if (comeSince >= this.#smallLimit / UNCOUNTED_PART || records.isMain(ref)) records.noteUse(ref);
    return large === undefined ? records.readText(ref) : new JsonBytes(large.value);
  }

  set(key: CacheKey, answer: CachedAnswer): void {
    if (this.#limit === 0) return;
    this.#tables ??= this.#openTables();
    const tables = this.#tables;
    const { names, ghost, records, small, main } = tables;
    if (!names.write(key)) return;
    const { hash, tag } = names;
    const old = find(tables);
    const isMain = old === 0 ? ghost.take(hash, tag) : records.isMain(old);
    if (old !== 0) this.#remove(tables, old);
    const answerBytes = typeof answer === 'string' ? Buffer.byteLength(answer) : answer.length;
    if (Records.countBytes(names.length, answerBytes) > this.#entryLimit) return;
    const isInline = answerBytes <= this.#inlineLimit;
    const queue = isMain ? main : small;
    const largeBytes = isInline ? 0 : answerBytes;
    const length = Records.countBytes(names.length, isInline ? answerBytes : 0);
    this.#moves = MOVES;
    if (!this.#makeRoom(tables, queue, length, largeBytes)) return;
    const ref = queue.add(length);
    queue.addLarge(largeBytes);
    const number = isInline ? 0 : this.#keepLarge(answer, ref, answerBytes);
    records.write(ref, names, isMain, describeAnswer(answer, answerBytes, isInline, number));
    this.#entries++;
    const displaced = tables.index.add(hash, tag, ref);
    if (displaced !== 0) {
      this.#evictions++;
      this.#forget(tables, displaced);
    }
  }

  evictBlock(blockHash: string): void {
    const tables = this.#tables;
    if (tables?.names.writeBlock(blockHash) !== true) return;
    const { names, records } = tables;
    let ref = records.findOfBlock(names, 0);
    while (ref !== 0) {
      const next = records.nextOfBlock(ref);
      this.#remove(tables, ref);
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
        if (prefixes === undefined || records.hasPrefix(ref, prefixes)) this.#remove(tables, ref);
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
    for (const large of this.#large) if (large !== undefined) large.value.keeper = undefined;
    this.#large.length = 0;
    this.#freeNumbers.length = 0;
    this.#tables = undefined;
    this.#entries = 0;
  }

  #openTables(): Tables {
    const segments = new Segments(this.#segmentBytes);
    const places = roundDown(this.#limit / BYTES_PER_PLACE);
    const fingerprints = roundDown(this.#limit / BYTES_PER_FINGERPRINT);
    const blocks = roundDown(this.#limit / BYTES_PER_BLOCK);
    const names = this.#createNames(this.#segmentBytes - Records.countBytes(0, this.#inlineLimit + 8));
    const bytes =
      names.bytes.length +
      NameIndex.countBytes(places) +
      Ghost.countBytes(fingerprints) +
      Uint32Array.BYTES_PER_ELEMENT * blocks;
    return {
      names,
      segments,
      records: new Records(segments, blocks),
      index: new NameIndex(places),
      ghost: new Ghost(fingerprints),
      small: new RecordQueue(segments),
      main: new RecordQueue(segments),
      bytes,
    };
  }

  /**
   * Evicts entries until there is room for a record at the end of a queue, and for `largeBytes` of an answer that is stored outside of the record.
   * @returns false if even the eviction of all entries would not free enough memory
   */
  #makeRoom(tables: Tables, queue: RecordQueue, length: number, largeBytes: number): boolean {
    const { small, main } = tables;
    if (queue === small) {
      while (
        small.oldest !== 0 &&
        small.bytes + largeBytes + this.#growth(small, length) > this.#smallLimit
      ) {
        this.#evictFromSmall(tables);
      }
    }
    while (!this.#takeRoom(tables, queue, length, largeBytes, this.#segmentBytes)) {
      if (main.oldest !== 0) this.#evictFromMain(tables);
      else if (small.oldest !== 0) this.#evictFromSmall(tables);
      else return false;
    }
    return true;
  }

  /**
   * Whether there is room for a record at the end of a queue, and for `largeBytes` of an answer that is stored outside of the record.
   * @param reserve bytes that must remain free, so that entries can be moved between queues while memory is full
   */
  #takeRoom(
    tables: Tables,
    queue: RecordQueue,
    length: number,
    largeBytes: number,
    reserve: number,
  ): boolean {
    const { segments } = tables;
    const growth = this.#growth(queue, length);
    if (countBytes(tables) - segments.spareBytes + largeBytes + growth + reserve > this.#limit) return false;
    while (segments.spareBytes > 0 && countBytes(tables) + largeBytes > this.#limit) segments.freeSpare();
    return true;
  }

  /** Returns the memory of the segment that a queue must add for a record of this many bytes; 0 if the last segment has room. */
  #growth(queue: RecordQueue, length: number): number {
    return queue.needsSegment(length) ? this.#segmentBytes : 0;
  }

  #evictFromSmall(tables: Tables): void {
    const { small, records, ghost } = tables;
    const ref = small.oldest;
    const length = records.lengthOf(ref);
    if (!records.isDead(ref)) {
      const isUsed = records.takeUse(ref);
      if (isUsed && this.#makeRoomInMain(tables, length)) this.#move(tables, ref, small);
      else {
        ghost.add(records.hashOf(ref), records.tagOf(ref));
        this.#evict(tables, ref);
      }
    }
    small.dropOldest(length);
  }

  #makeRoomInMain(tables: Tables, length: number): boolean {
    const { main } = tables;
    while (!this.#takeRoom(tables, main, length, 0, this.#segmentBytes)) {
      if (main.oldest === 0) return false;
      this.#evictFromMain(tables);
    }
    return true;
  }

  #evictFromMain(tables: Tables): void {
    const { main, records } = tables;
    const ref = main.oldest;
    const length = records.lengthOf(ref);
    if (!records.isDead(ref)) {
      const goesRound = this.#moves > 0 && records.takeUse(ref) && this.#takeRoom(tables, main, length, 0, 0);
      if (goesRound) {
        this.#moves--;
        this.#move(tables, ref, main);
      } else this.#evict(tables, ref);
    }
    main.dropOldest(length);
  }

  /** Moves an entry to the end of the main queue, which must have room. */
  #move(tables: Tables, ref: number, from: RecordQueue): void {
    const { main, records, index } = tables;
    const number = records.largeNumberOf(ref);
    const to = main.add(records.lengthOf(ref));
    records.moveToMain(ref, to);
    index.replace(records.hashOf(ref), records.tagOf(ref), ref, to);
    if (number === undefined) return;
    const large = this.#large[number] as Large;
    large.ref = to;
    from.largeBytes -= large.bytes;
    main.largeBytes += large.bytes;
  }

  #evict(tables: Tables, ref: number): void {
    this.#evictions++;
    this.#remove(tables, ref);
  }

  #remove(tables: Tables, ref: number): void {
    const { index, records } = tables;
    index.replace(records.hashOf(ref), records.tagOf(ref), ref, 0);
    this.#forget(tables, ref);
  }

  /** Removes an entry that is no longer in the index. */
  #forget({ records, small, main }: Tables, ref: number): void {
    records.kill(ref);
    this.#entries--;
    const number = records.largeNumberOf(ref);
    if (number === undefined) return;
    const large = this.#large[number] as Large;
    large.value.keeper = undefined;
    (records.isMain(ref) ? main : small).largeBytes -= large.bytes;
    this.#large[number] = undefined;
    this.#freeNumbers.push(number);
  }

  /** @returns index of the stored answer in `#large` */
  #keepLarge(answer: CachedAnswer, ref: number, bytes: number): number {
    const number = this.#freeNumbers.pop() ?? this.#large.length;
    const smallCome = (this.#tables as Tables).small.come;
    const large: Large = { value: takeValue(answer), smallCome, ref, bytes };
    large.value.keeper = (more) => this.#growLarge(large, more);
    this.#large[number] = large;
    return number;
  }

  /** Reserves memory for data derived from an answer. Returns false if there is no room for the data. */
  #growLarge(large: Large, bytes: number): boolean {
    const tables = this.#tables as Tables;
    this.#moves = MOVES;
    if (bytes > this.#entryLimit || !this.#makeRoom(tables, tables.main, 0, bytes)) return false;
    // Making room may have evicted the answer's own entry.
    if (large.value.keeper === undefined) return false;
    large.bytes += bytes;
    (tables.records.isMain(large.ref) ? tables.main : tables.small).largeBytes += bytes;
    return true;
  }
}

function countBytes({ bytes, segments, small, main }: Tables): number {
  return bytes + segments.bytes + small.largeBytes + main.largeBytes;
}

/** Returns the record with the name in the name writer, or 0 if there is none. */
function find({ names, index, records }: Tables): number {
  const { hash, tag } = names;
  let ref = index.find(hash, tag);
  while (ref !== 0 && !records.isOf(ref, names)) ref = index.findNext(hash, tag);
  return ref;
}

/**
 * Returns an object that only the new entry uses. Bytes of an answer are copied if they are a view into larger memory. Bytes that another entry
 * already counts are shared.
 */
function takeValue(answer: CachedAnswer): SharedBytes {
  if (typeof answer === 'string') return new SharedBytes(Buffer.from(answer));
  const { value } = answer;
  const { bytes } = value;
  if (bytes.length < bytes.buffer.byteLength) return new SharedBytes(Buffer.from(bytes));
  return value.keeper === undefined && !value.isPacked ? value : new SharedBytes(bytes);
}

/** Rounds down to a power of two. */
function roundDown(value: number): number {
  return 2 ** Math.floor(Math.log2(value));
}
