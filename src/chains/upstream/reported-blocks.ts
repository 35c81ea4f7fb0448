import type { ReportedBlock } from '../../pool/heads/block.ts';

/** Blocks of one height, and the nodes or operators that reported them. */
export class ReportedBlocks {
  readonly #reports = new Map<string, { readonly block: ReportedBlock; readonly by: Set<unknown> }>();

  /** Number of reports, each reporter of a block counted once. */
  get size(): number {
    let count = 0;
    for (const { by } of this.#reports.values()) count += by.size;
    return count;
  }

  /** The block that all reported; undefined if there is none, or several. */
  get only(): ReportedBlock | undefined {
    const [first, ...others] = this.#reports.values();
    return others.length === 0 ? first?.block : undefined;
  }

  /**
   * @param reporter a node, or its operator
   * @returns how many reported the same block
   */
  add(block: ReportedBlock, reporter: unknown): number {
    const entry = this.#reports.get(block.hash) ?? { block, by: new Set() };
    this.#reports.set(block.hash, entry);
    entry.by.add(reporter);
    return entry.by.size;
  }
}
