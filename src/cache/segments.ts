/** Records begin at multiples of this many bytes. */
const ALIGNMENT_BITS = 3;

/** Memory of fixed size that records lie in. */
export type Segment = { readonly bytes: Buffer; readonly words: Uint32Array };

/**
 * Segments by number. A reference to a record is one integer: the number of its segment, and its place there. No reference is 0.
 */
export class Segments {
  readonly bytesEach: number;
  readonly #shift: number;
  readonly #all: (Segment | undefined)[] = [];
  /** Numbers that have no memory. */
  readonly #free: number[] = [];
  /** Those that have, and are not in use. */
  readonly #spare: number[] = [];
  #allocated = 0;

  /** @param bytesEach a power of two */
  constructor(bytesEach: number) {
    this.bytesEach = bytesEach;
    this.#shift = Math.log2(bytesEach) - ALIGNMENT_BITS;
  }

  /** Memory that is allocated, in use or not. */
  get bytes(): number {
    return this.#allocated * this.bytesEach;
  }

  /** The part of it that is not in use. */
  get spareBytes(): number {
    return this.#spare.length * this.bytesEach;
  }

  /** A segment that is not in use, by its number. What it held before may still be in it. */
  take(): number {
    const spare = this.#spare.pop();
    if (spare !== undefined) return spare;
    const number = this.#free.pop() ?? this.#all.length;
    // Its pages take no memory before they are written to.
    const memory = new ArrayBuffer(this.bytesEach);
    this.#all[number] = { bytes: Buffer.from(memory), words: new Uint32Array(memory) };
    this.#allocated++;
    return number;
  }

  giveBack(number: number): void {
    this.#spare.push(number);
  }

  /** Lets go of the memory of a segment that is not in use. */
  freeSpare(): void {
    const number = this.#spare.pop();
    if (number === undefined) return;
    this.#all[number] = undefined;
    this.#free.push(number);
    this.#allocated--;
  }

  /** @param offset in bytes */
  makeRef(number: number, offset: number): number {
    return (((number + 1) << this.#shift) | (offset >>> ALIGNMENT_BITS)) >>> 0;
  }

  segmentOf(ref: number): Segment {
    return this.#all[this.numberOf(ref)] as Segment;
  }

  /** Number of the segment that a record lies in. */
  numberOf(ref: number): number {
    return (ref >>> this.#shift) - 1;
  }

  /** Where a record begins in its segment, in bytes. */
  offsetOf(ref: number): number {
    return (ref & ((1 << this.#shift) - 1)) << ALIGNMENT_BITS;
  }
}
