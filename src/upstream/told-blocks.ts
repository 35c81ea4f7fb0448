import type { Block } from './heads/block.ts';

/** Blocks of one height, and who has told them. */
export class ToldBlocks {
  readonly #tellers = new Map<string, { readonly block: Block; readonly by: Set<unknown> }>();

  /** Answers so far that were not told by the same before. */
  get size(): number {
    let count = 0;
    for (const { by } of this.#tellers.values()) count += by.size;
    return count;
  }

  /** The block that all have told; undefined where there is none, or several. */
  get only(): Block | undefined {
    const [first, ...others] = this.#tellers.values();
    return others.length === 0 ? first?.block : undefined;
  }

  /** @param teller a node, or its operator @returns how many have told the same */
  add(block: Block, teller: unknown): number {
    const told = this.#tellers.get(block.hash) ?? { block, by: new Set() };
    this.#tellers.set(block.hash, told);
    told.by.add(teller);
    return told.by.size;
  }
}
