/** Alignment of records: 2^3 bytes. */
const ALIGNMENT_BITS = 3;

/** Memory block of fixed size that contains records. */
export type Segment = { readonly bytes: Buffer; readonly words: Uint32Array };

/** Segments by number. A reference to a record is one integer that combines a segment number and an offset. A reference is never 0. */
export class Segments {
  readonly bytesEach: number;
  readonly #shift: number;
  readonly #all: (Segment | undefined)[] = [];
  /** Numbers of segments whose memory was released. */
  readonly #free: number[] = [];
  /** Numbers of segments with allocated memory that is not in use. */
  readonly #spare: number[] = [];
  #allocated = 0;

  /** @param bytesEach size of a segment, a power of two */
  constructor(bytesEach: number) {
    this.bytesEach = bytesEach;
    this.#shift = Math.log2(bytesEach) - ALIGNMENT_BITS;
  }

  /** Allocated memory, in use or not, bytes. */
  get bytes(): number {
    return this.#allocated * this.bytesEach;
  }

  /** Allocated memory that is not in use, bytes. */
  get spareBytes(): number {
    return this.#spare.length * this.bytesEach;
  }

  /** Returns the number of an unused segment, which is allocated if necessary. A reused segment still has its previous content. */
  take(): number {
    const spare = this.#spare.pop();
    if (spare !== undefined) return spare;
    const number = this.#free.pop() ?? this.#all.length;
    // The operating system assigns no memory to pages that were never written.
    const memory = new ArrayBuffer(this.bytesEach);
    this.#all[number] = { bytes: Buffer.from(memory), words: new Uint32Array(memory) };
    this.#allocated++;
    return number;
  }

  giveBack(number: number): void {
    this.#spare.push(number);
  }

  /** Releases the memory of an unused segment. */
  freeSpare(): void {
    const number = this.#spare.pop();
    if (number === undefined) return;
    this.#all[number] = undefined;
    this.#free.push(number);
    this.#allocated--;
  }

  /** @param offset offset in the segment, bytes */
  makeRef(number: number, offset: number): number {
    return (((number + 1) << this.#shift) | (offset >>> ALIGNMENT_BITS)) >>> 0;
  }

  segmentOf(ref: number): Segment {
    return this.#all[this.numberOf(ref)] as Segment;
  }

  /** Number of the segment that contains a record. */
  numberOf(ref: number): number {
    return (ref >>> this.#shift) - 1;
  }

  /** Returns the offset of a record in its segment, bytes. */
  offsetOf(ref: number): number {
    return (ref & ((1 << this.#shift) - 1)) << ALIGNMENT_BITS;
  }
}
