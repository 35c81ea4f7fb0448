import type { Segments } from './segments.ts';

type Part = { readonly segment: number; length: number };

/** First-in-first-out queue of records in as many segments as needed. */
export class RecordQueue {
  readonly #segments: Segments;
  /** Segments of the queue, oldest first. */
  readonly #parts: Part[] = [];
  /** Total bytes that had been added to the queue when a segment was added, by segment number. */
  readonly #comeBefore: number[] = [];
  #come = 0;
  /** Offset of the oldest record in the first segment, bytes. */
  #start = 0;
  /** Total bytes of the queue's answers that are stored outside of the segments. */
  largeBytes = 0;

  constructor(segments: Segments) {
    this.#segments = segments;
  }

  /** Total bytes ever added to the queue, including answers that are stored outside of the segments. */
  get come(): number {
    return this.#come;
  }

  /** Memory of the queue, bytes: its segments, and its answers outside of the segments. */
  get bytes(): number {
    return this.#parts.length * this.#segments.bytesEach + this.largeBytes;
  }

  /** Returns the oldest record; 0 if the queue is empty. */
  get oldest(): number {
    const first = this.#parts[0];
    return first === undefined ? 0 : this.#segments.makeRef(first.segment, this.#start);
  }

  /** Whether a record of this many bytes needs another segment. */
  needsSegment(length: number): boolean {
    const last = this.#parts.at(-1);
    return last === undefined || last.length + length > this.#segments.bytesEach;
  }

  /** Allocates memory for a record at the end of the queue. @param length bytes, a multiple of 8 @returns reference of the record */
  add(length: number): number {
    if (this.needsSegment(length)) {
      const segment = this.#segments.take();
      this.#parts.push({ segment, length: 0 });
      this.#comeBefore[segment] = this.#come;
    }
    this.#come += length;
    const last = this.#parts.at(-1) as Part;
    const ref = this.#segments.makeRef(last.segment, last.length);
    last.length += length;
    return ref;
  }

  /** Adds the size of the newest record's answer, if the answer is outside of the segments. */
  addLarge(bytes: number): void {
    this.largeBytes += bytes;
    this.#come += bytes;
  }

  /** Bytes added to the queue since the segment that contains this record was added. */
  comeSince(ref: number): number {
    return this.#come - (this.#comeBefore[this.#segments.numberOf(ref)] as number);
  }

  /** Frees the oldest record. @param length length of the oldest record, bytes */
  dropOldest(length: number): void {
    this.#start += length;
    const first = this.#parts[0] as Part;
    if (this.#start < first.length) return;
    this.#parts.shift();
    this.#start = 0;
    this.#segments.giveBack(first.segment);
  }
}
