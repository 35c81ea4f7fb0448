import type { BlockHeader } from './block.ts';

type Entry = { readonly hash: string; readonly header: BlockHeader | undefined };

/** Maximum number of blocks in a window; the lowest blocks are evicted first. */
export const WINDOW_BLOCKS = 256;

/** Recent blocks of one chain by number: the hash of each block, and its header if it was received. */
export class BlockWindow {
  readonly #entries = new Map<bigint, Entry>();
  /** Block numbers by hash. */
  readonly #numbers = new Map<string, bigint>();

  hashAt(number: bigint): string | undefined {
    return this.#entries.get(number)?.hash;
  }

  headerAt(number: bigint): BlockHeader | undefined {
    return this.#entries.get(number)?.header;
  }

  /** Returns the number of the block with this hash; undefined if the block is not in the window. */
  numberOf(hash: string): bigint | undefined {
    return this.#numbers.get(hash);
  }

  /** Returns the numbers of the blocks in the window, highest first. */
  numbers(): bigint[] {
    return [...this.#entries.keys()].sort((a, b) => (a < b ? 1 : -1));
  }

  /** Returns the highest number in the window that is at most `number`. */
  highestUpTo(number: bigint): bigint | undefined {
    return this.numbers().find((entry) => entry <= number);
  }

  /** Inserts a block; it replaces another block with the same number. */
  put(number: bigint, hash: string, header?: BlockHeader): void {
    const entry = this.#entries.get(number);
    const known = entry?.hash === hash ? entry.header : undefined;
    if (entry !== undefined) this.#delete(number);
    this.#entries.set(number, { hash, header: header ?? known });
    this.#numbers.set(hash, number);
    if (this.#entries.size > WINDOW_BLOCKS) this.#dropLowest();
  }

  /** Inserts a block, and its parent by the parent hash. */
  add(header: BlockHeader): void {
    this.put(header.number, header.hash, header);
    if (header.number > 0n) this.put(header.number - 1n, header.parentHash);
  }

  /** Removes every block above `number`, or all blocks if `number` is undefined. Returns the hashes of removed blocks, highest first. */
  cutAbove(number: bigint | undefined): string[] {
    const hashes: string[] = [];
    for (const entry of this.numbers()) {
      if (number !== undefined && entry <= number) break;
      hashes.push(this.#delete(entry));
    }
    return hashes;
  }

  #dropLowest(): void {
    const lowest = this.numbers().at(-1);
    if (lowest !== undefined) this.#delete(lowest);
  }

  /** @returns the hash of the removed block */
  #delete(number: bigint): string {
    const { hash } = this.#entries.get(number) as Entry;
    this.#entries.delete(number);
    // The entry may belong to another number: a node may report one hash for two numbers.
    if (this.#numbers.get(hash) === number) this.#numbers.delete(hash);
    return hash;
  }
}
