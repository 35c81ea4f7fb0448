import type { Segments } from './segments.ts';

type Part = { readonly segment: number; length: number };

/** FIFO of records in as many segments as needed. */
export class RecordQueue {
  readonly #segments: Segments;
  /** Oldest first. */
  readonly #parts: Part[] = [];
  /** Offset of the oldest record in the first part. */
  #start = 0;
  /** Bytes outside of segments that belong to its records. */
  largeBytes = 0;

  constructor(segments: Segments) {
    this.#segments = segments;
  }

  /** Memory of the segments and of the bytes outside of them. */
  get bytes(): number {
    return this.#parts.length * this.#segments.bytesEach + this.largeBytes;
  }

  /** Returns the oldest record; 0 where there is none. */
  get oldest(): number {
    const first = this.#parts[0];
    return first === undefined ? 0 : this.#segments.makeRef(first.segment, this.#start);
  }

  /** Whether a record of so many bytes needs another segment. */
  needsSegment(length: number): boolean {
    const last = this.#parts.at(-1);
    return last === undefined || last.length + length > this.#segments.bytesEach;
  }

  /** Allocates a record at the end. @param length bytes, a multiple of 8 @returns its reference */
  add(length: number): number {
    if (this.needsSegment(length)) this.#parts.push({ segment: this.#segments.take(), length: 0 });
    const last = this.#parts.at(-1) as Part;
    const ref = this.#segments.makeRef(last.segment, last.length);
    last.length += length;
    return ref;
  }

  /** Frees the oldest record. @param length its length in bytes */
  dropOldest(length: number): void {
    this.#start += length;
    const first = this.#parts[0] as Part;
    if (this.#start < first.length) return;
    this.#parts.shift();
    this.#start = 0;
    this.#segments.giveBack(first.segment);
  }
}
