import { type CacheSizes, type CacheTables, countCacheBytes } from './cache-tables.ts';
import type { LargeAnswer, LargeAnswers } from './large-answers.ts';
import type { RecordQueue } from './record-queue.ts';

/**
 * Maximum number of main-queue entries that are reinserted to make room for one new entry. When the number is reached, the oldest entry is evicted
 * even if it was requested again.
 */
const MOVES = 32;

export type EntryCounts = {
  entries: number;
  /** Number of entries evicted for lack of room. */
  evictions: number;
};

/** Makes room for entries of a cache, by S3-FIFO replacement, and removes entries. */
export class FifoReplacement {
  readonly #sizes: CacheSizes;
  readonly #tables: CacheTables;
  readonly #large: LargeAnswers;
  readonly #counts: EntryCounts;
  #moves = 0;

  /** @param counts updated with each entry that is removed */
  constructor(sizes: CacheSizes, tables: CacheTables, large: LargeAnswers, counts: EntryCounts) {
    this.#sizes = sizes;
    this.#tables = tables;
    this.#large = large;
    this.#counts = counts;
  }

  /**
   * Evicts entries until there is room for a record at the end of a queue, and for `largeBytes` of an answer that is stored outside of the record.
   * @returns false if even the eviction of all entries would not free enough memory
   */
  makeRoom(queue: RecordQueue, length: number, largeBytes: number): boolean {
    const { small, main } = this.#tables;
    this.#moves = MOVES;
    if (queue === small) {
      while (
        small.oldest !== 0 &&
        small.bytes + largeBytes + this.#growth(small, length) > this.#sizes.smallLimit
      ) {
        this.#evictFromSmall();
      }
    }
    while (!this.#takeRoom(queue, length, largeBytes, this.#sizes.segmentBytes)) {
      if (main.oldest !== 0) this.#evictFromMain();
      else if (small.oldest !== 0) this.#evictFromSmall();
      else return false;
    }
    return true;
  }

  /**
   * Whether there is room for a record at the end of a queue, and for `largeBytes` of an answer that is stored outside of the record.
   * @param reserve bytes that must remain free, so that entries can be moved between queues while memory is full
   */
  #takeRoom(queue: RecordQueue, length: number, largeBytes: number, reserve: number): boolean {
    const { segments } = this.#tables;
    const growth = this.#growth(queue, length);
    if (
      countCacheBytes(this.#tables) - segments.spareBytes + largeBytes + growth + reserve >
      this.#sizes.limit
    )
      return false;
    while (segments.spareBytes > 0 && countCacheBytes(this.#tables) + largeBytes > this.#sizes.limit)
      segments.freeSpare();
    return true;
  }

  /** Returns the memory of the segment that a queue must add for a record of this many bytes; 0 if the last segment has room. */
  #growth(queue: RecordQueue, length: number): number {
    return queue.needsSegment(length) ? this.#sizes.segmentBytes : 0;
  }

  #evictFromSmall(): void {
    const { small, records, ghost } = this.#tables;
    const ref = small.oldest;
    const length = records.lengthOf(ref);
    if (!records.isDead(ref)) {
      const isUsed = records.takeUse(ref);
      if (isUsed && this.#makeRoomInMain(length)) this.#move(ref, small);
      else {
        ghost.add(records.hashOf(ref), records.tagOf(ref));
        this.#evict(ref);
      }
    }
    small.dropOldest(length);
  }

  #makeRoomInMain(length: number): boolean {
    const { main } = this.#tables;
    while (!this.#takeRoom(main, length, 0, this.#sizes.segmentBytes)) {
      if (main.oldest === 0) return false;
      this.#evictFromMain();
    }
    return true;
  }

  #evictFromMain(): void {
    const { main, records } = this.#tables;
    const ref = main.oldest;
    const length = records.lengthOf(ref);
    if (!records.isDead(ref)) {
      const goesRound = this.#moves > 0 && records.takeUse(ref) && this.#takeRoom(main, length, 0, 0);
      if (goesRound) {
        this.#moves--;
        this.#move(ref, main);
      } else this.#evict(ref);
    }
    main.dropOldest(length);
  }

  /** Moves an entry to the end of the main queue, which must have room. */
  #move(ref: number, from: RecordQueue): void {
    const { main, records, index } = this.#tables;
    const number = records.largeNumberOf(ref);
    const to = main.add(records.lengthOf(ref));
    records.moveToMain(ref, to);
    index.replace(records.hashOf(ref), records.tagOf(ref), ref, to);
    if (number === undefined) return;
    const large = this.#large.get(number);
    large.ref = to;
    from.largeBytes -= large.bytes;
    main.largeBytes += large.bytes;
  }

  /** Removes the entry that the index has dropped for lack of room. @param displaced its record, or 0 if there is none */
  drop(displaced: number): void {
    if (displaced === 0) return;
    this.#counts.evictions++;
    this.#forget(displaced);
  }

  #evict(ref: number): void {
    this.#counts.evictions++;
    this.remove(ref);
  }

  remove(ref: number): void {
    const { index, records } = this.#tables;
    index.replace(records.hashOf(ref), records.tagOf(ref), ref, 0);
    this.#forget(ref);
  }

  /** Removes an entry that is no longer in the index. */
  #forget(ref: number): void {
    const { records, small, main } = this.#tables;
    records.kill(ref);
    this.#counts.entries--;
    const number = records.largeNumberOf(ref);
    if (number === undefined) return;
    (records.isMain(ref) ? main : small).largeBytes -= this.#large.remove(number).bytes;
  }

  /** Reserves memory for data derived from an answer. Returns false if there is no room for the data. */
  growLarge(large: LargeAnswer, bytes: number): boolean {
    const { records, small, main } = this.#tables;
    if (bytes > this.#sizes.entryLimit || !this.makeRoom(main, 0, bytes)) return false;
    // Making room may have evicted the answer's own entry.
    if (large.value.keeper === undefined) return false;
    large.bytes += bytes;
    (records.isMain(large.ref) ? main : small).largeBytes += bytes;
    return true;
  }
}
