import type { Segments } from './segments.ts';

type Part = { readonly segment: number; length: number };

/** Records in the order in which they came, in as many segments as they need. */
export class RecordQueue {
  readonly #segments: Segments;
  /** Oldest first. */
  readonly #parts: Part[] = [];
  /** Bytes that had come when a segment became part of the queue, by its number. */
  readonly #comeBefore: number[] = [];
  #come = 0;
  /** Where the oldest record begins in the first of them. */
  #start = 0;
  /** Bytes outside of segments that belong to its records. */
  largeBytes = 0;

  constructor(segments: Segments) {
    this.#segments = segments;
  }

  /** Bytes of all records, and of answers outside of them, that ever came. */
  get come(): number {
    return this.#come;
  }

  /** Memory of the segments and what is outside of them. */
  get bytes(): number {
    return this.#parts.length * this.#segments.bytesEach + this.largeBytes;
  }

  /** The oldest record; 0 where there is none. */
  get oldest(): number {
    const first = this.#parts[0];
    return first === undefined ? 0 : this.#segments.makeRef(first.segment, this.#start);
  }

  /** Whether so many bytes need another segment. */
  needsSegment(length: number): boolean {
    const last = this.#parts.at(-1);
    return last === undefined || last.length + length > this.#segments.bytesEach;
  }

  /** Room for a record of so many bytes, a multiple of 8, behind the others. */
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

  /** Counts bytes of an answer outside of segments that came with the newest record. */
  addLarge(bytes: number): void {
    this.largeBytes += bytes;
    this.#come += bytes;
  }

  /** Bytes that came since the segment of a record was begun. */
  comeSince(ref: number): number {
    return this.#come - (this.#comeBefore[this.#segments.numberOf(ref)] as number);
  }

  /** Gives up the room of the oldest record, which has so many bytes. */
  dropOldest(length: number): void {
    this.#start += length;
    const first = this.#parts[0] as Part;
    if (this.#start < first.length) return;
    this.#parts.shift();
    this.#start = 0;
    this.#segments.giveBack(first.segment);
  }
}
