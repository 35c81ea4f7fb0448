/** Minimum size of a chunk that is stored without a copy, bytes; a separate buffer for a smaller chunk would use many times its bytes. */
const MIN_POOLED_BYTES = 4 * 1024;
/** Size of the blocks into which small chunks are copied, bytes. */
const BLOCK_BYTES = 16 * 1024;
/** Approximate memory per stored chunk or block in addition to its bytes, bytes. */
export const CHUNK_OVERHEAD_BYTES = 256;
/** Minimum expected length at which bytes are assembled while they arrive, bytes; assembling them at the end would take milliseconds. */
const MIN_WHOLE_BYTES = 256 * 1024;
/**
 * Memory for the expected length is allocated when 1/4 of the bytes have arrived. A client thus cannot occupy memory by sending only a large
 * Content-Length.
 */
const BEGUN_PART = 4;

/** Bytes that arrive in chunks of any size. Memory and assembly time are proportional to the bytes. */
export class GatheredBytes {
  /** Expected total number of bytes; 0 if unknown. */
  readonly #expected: number;
  readonly #parts: Buffer[] = [];
  /** Buffer for all expected bytes, written up to `#length`. */
  #whole: Buffer | undefined;
  /** Block into which small chunks are copied; its bytes come after the bytes of `#parts`. */
  #block: Buffer | undefined;
  #filled = 0;
  #length = 0;
  #cost = 0;

  /** @param expected total number of bytes, if known; fewer may arrive */
  constructor(expected = 0) {
    this.#expected = expected;
  }

  get length(): number {
    return this.#length;
  }

  /** Memory used, bytes. */
  get cost(): number {
    return this.#cost;
  }

  /** Returns by how many bytes `add` would increase `cost`. */
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

  /** Returns all bytes; a single chunk is not copied. Nothing may be added afterwards. */
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

  /** Whether a chunk is stored without a copy. The first chunk is stored without a copy whatever its size, because it is often the only chunk. */
  #isKept({ length }: Buffer): boolean {
    return length >= MIN_POOLED_BYTES || this.#length === 0;
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
