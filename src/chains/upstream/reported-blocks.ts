import type { ReportedBlock } from '../../pool/heads/block.ts';

/** Blocks that were reported for one height, with the nodes or operators that reported them. */
export class ReportedBlocks {
  readonly #reports = new Map<string, { readonly block: ReportedBlock; readonly by: Set<unknown> }>();

  /** Number of reports; a repeated report of a block by the same reporter counts once. */
  get size(): number {
    let count = 0;
    for (const { by } of this.#reports.values()) count += by.size;
    return count;
  }

  /** The block if all reports name the same one; undefined if there are several blocks, or none. */
  get only(): ReportedBlock | undefined {
    const [first, ...others] = this.#reports.values();
    return others.length === 0 ? first?.block : undefined;
  }

  /**
   * @param reporter a node, or its operator
   * @returns the number of reporters of this block
   */
  add(block: ReportedBlock, reporter: unknown): number {
    const entry = this.#reports.get(block.hash) ?? { block, by: new Set() };
    this.#reports.set(block.hash, entry);
    entry.by.add(reporter);
    return entry.by.size;
  }
}
