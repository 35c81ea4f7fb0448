import type { Clock } from '../../util/clock.ts';
import type { BlockHeader } from './block.ts';
import { CanonicalChain, countHashes } from './canonical-chain.ts';
import { type ChainView, chooseHead, countShare, hasBlock, type Share } from './choose-head.ts';

/** What one healthy upstream says of its heads. */
export interface HeadReport extends ChainView {
  /** Whether it has been asked for its safe and finalized blocks at all. */
  readonly hasMarks: boolean;
  readonly safe: BlockHeader | undefined;
  readonly finalized: BlockHeader | undefined;
}

export type NetworkHeadOptions = {
  readonly share: Share;
  /** How long the served head outlives the last healthy upstream that has it, milliseconds. */
  readonly giveUpMs: number;
  /** The healthy upstreams now. One that has not told its latest block counts, and has nothing. */
  reports(): readonly HeadReport[];
  /** Blocks that were served and are not on the chain any more, highest first. */
  onOrphaned(hashes: readonly string[]): void;
  onGivenUp(from: BlockHeader, to: BlockHeader): void;
  readonly clock: Clock;
};

/** How much longer the head outlives a vote against it than its last holder. */
const OUTVOTED_FACTOR = 10;

/**
 * The one head that a network serves.
 * 1. It is the highest block that the share of the healthy upstreams has; a lone healthy upstream is its own majority.
 * 2. It moves to a block that is not above it only when the share of the healthy upstreams reports another hash at a
 *    height already served, which proves a reorg; never because upstreams lag, leave or jump back.
 * 3. When for `giveUpMs` no healthy upstream has had it, or for ten times as long neither the share nor half of them,
 *    it is given up with a warning and rule 1 starts anew.
 */
export class NetworkHead {
  readonly #options: NetworkHeadOptions;
  readonly #chain = new CanonicalChain();
  readonly #deserted: Persistence;
  readonly #outvoted: Persistence;
  readonly #known: Promise<void>;
  #resolveKnown: () => void = () => {};
  #safe: BlockHeader | undefined;
  #finalized: BlockHeader | undefined;
  #cancelCheck: () => void = () => {};

  constructor(options: NetworkHeadOptions) {
    this.#options = options;
    this.#deserted = new Persistence(options.giveUpMs);
    this.#outvoted = new Persistence(options.giveUpMs * OUTVOTED_FACTOR);
    this.#known = new Promise((resolve) => {
      this.#resolveKnown = resolve;
    });
  }

  get head(): BlockHeader | undefined {
    return this.#chain.head;
  }

  /** The highest safe block that the share of those upstreams has which tell one; never above the head. */
  get safe(): BlockHeader | undefined {
    return this.#safe;
  }

  /** As `safe`. */
  get finalized(): BlockHeader | undefined {
    return this.#finalized;
  }

  /** Whether every healthy upstream has been asked for its safe and finalized blocks. */
  get hasMarks(): boolean {
    return this.#options.reports().every((report) => report.hasMarks);
  }

  /** Hash of a recent canonical block, where it is known. */
  hashAt(number: bigint): string | undefined {
    return this.#chain.hashAt(number);
  }

  /** Header of a recent canonical block, where it is in hand. */
  headerAt(number: bigint): BlockHeader | undefined {
    return this.#chain.headerAt(number);
  }

  /** Resolves once there is a head. */
  whenKnown(): Promise<void> {
    return this.#known;
  }

  /** To be called whenever a report changes, comes or goes. */
  update(): void {
    const reports = this.#options.reports();
    const chosen = chooseHead(reports, this.#options.share, this.head);
    if (chosen !== undefined && this.#mayMoveTo(chosen, reports)) this.#moveTo(chosen, reports);
    else this.#chain.learn(reports);
    this.#checkHolders(reports);
    this.#safe = this.#raise(this.#safe, 'safe', reports);
    this.#finalized = this.#raise(this.#finalized, 'finalized', reports);
  }

  /** Ends waiting for the head to be given up. */
  stop(): void {
    this.#cancelCheck();
  }

  #mayMoveTo(block: BlockHeader, reports: readonly HeadReport[]): boolean {
    const { head } = this;
    if (head === undefined || block.number > head.number) return true;
    return block.hash !== head.hash && this.#isReorged(block.number, reports);
  }

  /** Whether the share knows one other block at a height already served, at `from` or above. */
  #isReorged(from: bigint, reports: readonly HeadReport[]): boolean {
    const needed = countShare(this.#options.share, reports.length);
    return this.#chain
      .numbers()
      .filter((number) => number >= from)
      .some((number) =>
        countHashes(reports, number).some(
          ({ hash, views }) => views >= needed && hash !== this.#chain.hashAt(number),
        ),
      );
  }

  #moveTo(block: BlockHeader, reports: readonly HeadReport[]): void {
    const departure = this.#chain.moveTo(block, reports);
    this.#resolveKnown();
    if (departure === undefined) return;
    const { ancestor, hashes } = departure;
    const stays = (mark: BlockHeader | undefined): boolean =>
      mark !== undefined && ancestor !== undefined && mark.number <= ancestor;
    if (!stays(this.#safe)) this.#safe = undefined;
    if (!stays(this.#finalized)) this.#finalized = undefined;
    this.#options.onOrphaned(hashes);
  }

  #checkHolders(reports: readonly HeadReport[]): void {
    const { head } = this;
    const { clock, share } = this.#options;
    const telling = reports.filter((report) => report.latest !== undefined);
    if (head === undefined) return;
    const holders = telling.filter((report) => hasBlock(report, head)).length;
    const isOutvoted = holders < countShare(share, reports.length) && 2 * holders < telling.length;
    const now = clock.now();
    const left = Math.min(
      this.#deserted.check(telling.length > 0 && holders === 0, now),
      this.#outvoted.check(isOutvoted, now),
    );
    this.#cancelCheck();
    if (left <= 0) this.#giveUp(head, reports);
    else if (left < Number.POSITIVE_INFINITY) this.#cancelCheck = clock.schedule(() => this.update(), left);
  }

  #giveUp(head: BlockHeader, reports: readonly HeadReport[]): void {
    const next = chooseHead(reports, this.#options.share);
    if (next === undefined) return;
    this.#moveTo(next, reports);
    this.#deserted.reset();
    this.#outvoted.reset();
    this.#options.onGivenUp(head, next);
  }

  /** Safe and finalized follow the head's rule among the upstreams that tell them. */
  #raise(
    served: BlockHeader | undefined,
    mark: 'safe' | 'finalized',
    reports: readonly HeadReport[],
  ): BlockHeader | undefined {
    const views = reports.flatMap((report) => {
      const latest = report[mark];
      if (latest !== undefined) return [new MarkView(report, latest)];
      // One that has not been asked yet counts, and has nothing; one that does not know the tag does not count.
      return report.hasMarks ? [] : [NOTHING];
    });
    const chosen = chooseHead(views, this.#options.share, served, this.head?.number);
    if (chosen === undefined || (served !== undefined && chosen.number <= served.number)) return served;
    const canonical = this.#chain.hashAt(chosen.number);
    return canonical === undefined || canonical === chosen.hash ? chosen : served;
  }
}

const NOTHING: ChainView = { latest: undefined, hashAt: () => undefined, headerAt: () => undefined };

/** An upstream's chain up to its safe or finalized block. */
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

/** Tells how much longer something must stay so, without a break, until it has lasted. */
class Persistence {
  readonly #limit: number;
  #since: number | undefined;

  constructor(limitMs: number) {
    this.#limit = limitMs;
  }

  /** Milliseconds left; infinite while it is not so. */
  check(isSo: boolean, now: number): number {
    if (!isSo) {
      this.#since = undefined;
      return Number.POSITIVE_INFINITY;
    }
    this.#since ??= now;
    return this.#since + this.#limit - now;
  }

  reset(): void {
    this.#since = undefined;
  }
}
