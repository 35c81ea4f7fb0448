import type { BlockHeader } from './block.ts';
import { type ChainView, chooseHead, type Share } from './choose-head.ts';
import type { HeadReport } from './electorate.ts';

type Served = { readonly head: BlockHeader | undefined; hashAt(number: bigint): string | undefined };

/**
 * The safe and finalized blocks that a network serves. A block becomes safe or finalized by the same quorum as the head; only nodes that know the tag
 * count.
 */
export class ServedMarks {
  readonly #share: Share;
  readonly #isAgreed: (block: BlockHeader) => boolean;
  #safe: BlockHeader | undefined;
  #finalized: BlockHeader | undefined;

  /** @param isAgreed returns whether enough operators have a safe or finalized block */
  constructor(share: Share, isAgreed: (block: BlockHeader) => boolean = () => true) {
    this.#share = share;
    this.#isAgreed = isAgreed;
  }

  /** Highest safe block that a quorum of the nodes with a safe block has; never above the head. */
  get safe(): BlockHeader | undefined {
    return this.#safe;
  }

  /** Highest finalized block that a quorum of the nodes with a finalized block has; never above the head. */
  get finalized(): BlockHeader | undefined {
    return this.#finalized;
  }

  update(served: Served, reports: readonly HeadReport[]): void {
    this.#safe = this.#raise(this.#safe, 'safe', served, reports);
    this.#finalized = this.#raise(this.#finalized, 'finalized', served, reports);
  }

  /** Drops the safe and finalized blocks above `ancestor`, the highest block that remained in a reorg; drops both if `ancestor` is undefined. */
  cutAbove(ancestor: bigint | undefined): void {
    const stays = (mark: BlockHeader | undefined): boolean =>
      mark !== undefined && ancestor !== undefined && mark.number <= ancestor;
    if (!stays(this.#safe)) this.#safe = undefined;
    if (!stays(this.#finalized)) this.#finalized = undefined;
  }

  #raise(
    mark: BlockHeader | undefined,
    name: 'safe' | 'finalized',
    served: Served,
    reports: readonly HeadReport[],
  ): BlockHeader | undefined {
    const views = reports.flatMap((report) => {
      const latest = report[name];
      if (latest !== undefined) return [new MarkView(report, latest)];
      // A node whose tags were not requested yet counts in the quorum as having no block. A node that does not know the tag does not count.
      return report.hasMarks ? [] : [NOTHING];
    });
    const chosen = chooseHead(views, this.#share, mark, served.head?.number, this.#isAgreed);
    if (chosen === undefined || (mark !== undefined && chosen.number <= mark.number)) return mark;
    const canonical = served.hashAt(chosen.number);
    return canonical === undefined || canonical === chosen.hash ? chosen : mark;
  }
}

const NOTHING: ChainView = { latest: undefined, hashAt: () => undefined, headerAt: () => undefined };

/** View of a node's chain that ends at the node's safe or finalized block. */
class MarkView implements ChainView {
  readonly latest: BlockHeader;
  readonly #report: HeadReport;

  constructor(report: HeadReport, latest: BlockHeader) {
    this.#report = report;
    this.latest = latest;
  }

  hashAt(number: bigint): string | undefined {
    return number === this.latest.number ? this.latest.hash : this.#report.hashAt(number);
  }

  headerAt(number: bigint): BlockHeader | undefined {
    return number === this.latest.number ? this.latest : this.#report.headerAt(number);
  }
}
