import type { BlockHeader } from './block.ts';

type Entry = { readonly hash: string; readonly header: BlockHeader | undefined };

/** Blocks that a window holds; the lowest leave first. */
export const WINDOW_BLOCKS = 256;

/** Recent blocks of one chain by number: the hash of each, and its header where that is in hand. */
export class BlockWindow {
  readonly #entries = new Map<bigint, Entry>();

  hashAt(number: bigint): string | undefined {
    return this.#entries.get(number)?.hash;
  }

  headerAt(number: bigint): BlockHeader | undefined {
    return this.#entries.get(number)?.header;
  }

  /** Numbers of the blocks held, highest first. */
  numbers(): bigint[] {
    return [...this.#entries.keys()].sort((a, b) => (a < b ? 1 : -1));
  }

  /** The highest number held that is at most `number`. */
  highestUpTo(number: bigint): bigint | undefined {
    return this.numbers().find((held) => held <= number);
  }

  /** Holds a block, in place of another of its number. */
  put(number: bigint, hash: string, header?: BlockHeader): void {
    const held = this.#entries.get(number);
    const known = held?.hash === hash ? held.header : undefined;
    this.#entries.set(number, { hash, header: header ?? known });
    if (this.#entries.size > WINDOW_BLOCKS) this.#dropLowest();
  }

  /** Holds a block and, by its parent hash, the one below. */
  add(header: BlockHeader): void {
    this.put(header.number, header.hash, header);
    if (header.number > 0n) this.put(header.number - 1n, header.parentHash);
  }

  /** Lets go of every block above `number`; of all blocks without one. Returns their hashes, highest first. */
  cutAbove(number: bigint | undefined): string[] {
    const hashes: string[] = [];
    for (const held of this.numbers()) {
      if (number !== undefined && held <= number) break;
      hashes.push((this.#entries.get(held) as Entry).hash);
      this.#entries.delete(held);
    }
    return hashes;
  }

  #dropLowest(): void {
    const lowest = this.numbers().at(-1);
    if (lowest !== undefined) this.#entries.delete(lowest);
  }
}
