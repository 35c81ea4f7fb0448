/** A smaller chunk is copied: kept by itself it would cost many times its bytes. */
const MIN_KEPT_BYTES = 4 * 1024;
/** Small chunks are copied into blocks of this size. */
const BLOCK_BYTES = 16 * 1024;
/** What a chunk costs in memory beside its bytes, about. */
export const CHUNK_OVERHEAD_BYTES = 256;

/** Bytes that arrive in chunks of any size. Memory, and the time to put them together, are in proportion to the bytes. */
export class GatheredBytes {
  readonly #parts: Buffer[] = [];
  /** Where small chunks are copied to, behind `#parts`. */
  #block: Buffer | undefined;
  #filled = 0;
  #length = 0;
  #cost = 0;

  get length(): number {
    return this.#length;
  }

  /** The memory that is held, bytes. */
  get cost(): number {
    return this.#cost;
  }

  /** By how much `add` would raise the cost. */
  costOf(chunk: Buffer): number {
    if (this.#isKept(chunk)) return chunk.length + CHUNK_OVERHEAD_BYTES;
    return this.#hasRoom(chunk) ? 0 : BLOCK_BYTES + CHUNK_OVERHEAD_BYTES;
  }

  add(chunk: Buffer): void {
    this.#cost += this.costOf(chunk);
    if (this.#isKept(chunk)) {
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
  }

  /** All bytes; a single chunk is not copied. Nothing may be added any more. */
  join(): Buffer {
    this.#closeBlock();
    return this.#parts.length === 1 ? (this.#parts[0] as Buffer) : Buffer.concat(this.#parts, this.#length);
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
