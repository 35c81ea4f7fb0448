import { Ghost } from './ghost.ts';
import type { MemoryCacheOptions } from './memory-cache.ts';
import { NameIndex } from './name-index.ts';
import type { NameWriter } from './name-writer.ts';
import { RecordQueue } from './record-queue.ts';
import { Records } from './records.ts';
import { Segments } from './segments.ts';

const KiB = 1024;
const MiB = 1024 * KiB;

const MIN_BYTES = 128 * KiB;
/** The small queue contains entries without a second request. The limit of the small queue is the smaller of 4 MiB and 1/8 of the cache's limit. */
const SMALL_QUEUE_BYTES = 4 * MiB;
const SMALL_QUEUE_PART = 8;
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
/** Sizes of a cache, bytes. */
export type CacheSizes = {
  readonly limit: number;
  readonly entryLimit: number;
  /** Limit of the small queue. */
  readonly smallLimit: number;
  readonly segmentBytes: number;
  /** Maximum size of an answer that is stored inside a segment. */
  readonly inlineLimit: number;
};

/** Memory of a cache, which is allocated when the first entry is added. */
export type CacheTables = {
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

export function planSizes({ bytes, entryBytes }: MemoryCacheOptions): CacheSizes {
  const limit = bytes < MIN_BYTES ? 0 : bytes;
  const segmentBytes = Math.max(
    MIN_SEGMENT_BYTES,
    Math.min(MAX_SEGMENT_BYTES, roundDown(limit / SEGMENT_PART)),
  );
  return {
    limit,
    entryLimit: Math.min(entryBytes, limit),
    smallLimit: Math.min(SMALL_QUEUE_BYTES, limit / SMALL_QUEUE_PART),
    segmentBytes,
    inlineLimit: Math.min(MAX_INLINE_BYTES, segmentBytes / INLINE_PART),
  };
}

/** @param createNames creates the name writer for names of at most this many bytes */
export function openCacheTables(
  { limit, segmentBytes, inlineLimit }: CacheSizes,
  createNames: (maxBytes: number) => NameWriter,
): CacheTables {
  const segments = new Segments(segmentBytes);
  const places = roundDown(limit / BYTES_PER_PLACE);
  const fingerprints = roundDown(limit / BYTES_PER_FINGERPRINT);
  const blocks = roundDown(limit / BYTES_PER_BLOCK);
  const names = createNames(segmentBytes - Records.countBytes(0, inlineLimit + 8));
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

/** Returns the allocated memory, including answers outside of the segments, bytes. */
export function countCacheBytes({ bytes, segments, small, main }: CacheTables): number {
  return bytes + segments.bytes + small.largeBytes + main.largeBytes;
}

/** Returns the record with the name in the name writer, or 0 if there is none. */
export function findRecord({ names, index, records }: CacheTables): number {
  const { hash, tag } = names;
  let ref = index.find(hash, tag);
  while (ref !== 0 && !records.isOf(ref, names)) ref = index.findNext(hash, tag);
  return ref;
}

/** Rounds down to a power of two. */
function roundDown(value: number): number {
  return 2 ** Math.floor(Math.log2(value));
}
