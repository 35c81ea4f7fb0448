/** A smaller chunk is copied: kept by itself it would cost many times its bytes. */
const MIN_KEPT_BYTES = 4 * 1024;
/** Small chunks are copied into blocks of this size. */
const BLOCK_BYTES = 16 * 1024;
/** What a chunk costs in memory beside its bytes, about. */
export const CHUNK_OVERHEAD_BYTES = 256;
/** From this length on bytes of a known length are put together as they come: at the end that would take milliseconds. */
const MIN_WHOLE_BYTES = 256 * 1024;
/** Of a known length, so much has come before memory for all of it is allocated: a length alone costs nothing. */
const BEGUN_PART = 4;

/** Bytes that arrive in chunks of any size. Memory, and the time to put them together, are in proportion to the bytes. */
export class GatheredBytes {
  /** Bytes in all; 0 where that is not known. */
  readonly #expected: number;
  readonly #parts: Buffer[] = [];
  /** Holds all bytes so far, from `#length` on it is untouched. */
  #whole: Buffer | undefined;
  /** Where small chunks are copied to, behind `#parts`. */
  #block: Buffer | undefined;
  #filled = 0;
  #length = 0;
  #cost = 0;

  /** @param expected bytes in all, where that is known; they may be fewer */
  constructor(expected = 0) {
    this.#expected = expected;
  }

  get length(): number {
    return this.#length;
  }

  /** The memory that is held, bytes. */
  get cost(): number {
    return this.#cost;
  }

  /** By how much `add` would raise the cost. */
  costOf(chunk: Buffer): number {
    if (this.#whole !== undefined) return chunk.length;
    if (this.#isKept(chunk)) return chunk.length + CHUNK_OVERHEAD_BYTES;
    return this.#hasRoom(chunk) ? 0 : BLOCK_BYTES + CHUNK_OVERHEAD_BYTES;
  }

  add(chunk: Buffer): void {
    this.#cost += this.costOf(chunk);
    if (this.#whole !== undefined) {
      this.#whole.set(chunk, this.#length);
    } else if (this.#isKept(chunk)) {
      this.#closeBlock();
      this.#parts.push(chunk);
    } else {
      if (!this.#hasRoom(chunk)) {
        this.#closeBlock();
        this.#block = Buffer.allocUnsafeSlow(BLOCK_BYTES);
      }
      (this.#block as Buffer).set(chunk, this.#filled);
      this.#filled += chunk.length;
    }
    this.#length += chunk.length;
    if (this.#whole === undefined && this.#expected >= MIN_WHOLE_BYTES) this.#beginWhole();
  }

  /** All bytes; a single chunk is not copied. Nothing may be added any more. */
  join(): Buffer {
    if (this.#whole !== undefined) return this.#whole.subarray(0, this.#length);
    this.#closeBlock();
    return this.#parts.length === 1 ? (this.#parts[0] as Buffer) : Buffer.concat(this.#parts, this.#length);
  }

  #beginWhole(): void {
    if (this.#length < this.#expected / BEGUN_PART || this.#length >= this.#expected) return;
    const whole = Buffer.allocUnsafeSlow(this.#expected);
    this.#closeBlock();
    let at = 0;
    for (const part of this.#parts) {
      whole.set(part, at);
      at += part.length;
    }
    this.#parts.length = 0;
    this.#whole = whole;
  }

  /** The first chunk is often the only one. */
  #isKept({ length }: Buffer): boolean {
    return length >= MIN_KEPT_BYTES || this.#length === 0;
  }

  #hasRoom({ length }: Buffer): boolean {
    return this.#block !== undefined && this.#filled + length <= BLOCK_BYTES;
  }

  #closeBlock(): void {
    if (this.#block !== undefined) this.#parts.push(this.#block.subarray(0, this.#filled));
    this.#block = undefined;
    this.#filled = 0;
  }
}
