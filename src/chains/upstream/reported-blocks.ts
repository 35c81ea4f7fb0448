import type { ReportedBlock } from '../../pool/heads/block.ts';

/** Blocks that were reported for one height, with the operators that reported them. */
export class ReportedBlocks {
  readonly #reports = new Map<string, { readonly block: ReportedBlock; readonly by: Set<string> }>();

  /** Number of reports. Several reports of the same block by nodes of one operator count once. */
  get size(): number {
    let count = 0;
    for (const { by } of this.#reports.values()) count += by.size;
    return count;
  }

  /** The reported block, if all reports are about the same block; otherwise undefined. */
  get only(): ReportedBlock | undefined {
    const [first, ...others] = this.#reports.values();
    return others.length === 0 ? first?.block : undefined;
  }

  /**
   * Adds a report.
   * @param operator operator of the node that reports the block
   * @returns the number of operators that have reported this block
   */
  add(block: ReportedBlock, operator: string): number {
    const entry = this.#reports.get(block.hash) ?? { block, by: new Set() };
    this.#reports.set(block.hash, entry);
    entry.by.add(operator);
    return entry.by.size;
  }
}
