import type { BlockHeader } from './block.ts';
import { CanonicalChain, countHashes } from './canonical-chain.ts';
import { type ChainView, chooseHead, countShare, hasBlock } from './choose-head.ts';
import type { Candidate } from './electorate.ts';
import type { HeadHindrance, NetworkHeadOptions } from './network-head-options.ts';
import { Persistence } from './persistence.ts';
import { ServedMarks } from './served-marks.ts';
import { Voting } from './voting.ts';

/** Factor on `giveUpMs` for a head that neither the quorum nor half of the voters have, while a healthy node still has it. */
const OUTVOTED_FACTOR = 10;
/** Maximum delay of the first head, ms. The first head waits for the first block of each node, and for the chains of nodes that are far ahead. */
const UNDECIDED_MS = 5_000;
const MS = 1_000;

/**
 * Chooses the one head that a network serves. The head is the highest block that a quorum of the voting nodes has. A healthy node votes unless it
 * reports that it is syncing, is far behind the served head or the leader, or is of a lower tier than another voting node. The leader is the highest
 * node that is far ahead, unless more nodes of the same or a better tier are near the served head. The head moves to a block that is not higher only
 * in two cases. First case: the quorum has another hash at a height that was already served. Second case: no healthy node has had the head for
 * `giveUpMs`, or neither the quorum nor half of the voters have had it for ten times as long. In the second case, the quorum must have a lower or
 * equally high block that was made later. The head never moves only because nodes lag, leave or jump back. If no healthy node has had the head for
 * `headAgeMs`, the head is not replaced, but it is not served until a node has it again. With `agreement`, the head moves only to blocks that enough
 * of the configured operators have too. If too few operators have had the quorum's block for `patienceMs`, the head follows the quorum alone until
 * enough operators have the quorum's block again. If `patienceMs` is undefined, the head never follows the quorum alone. Without `patienceMs`, the
 * head is not served while too few operators have it, or after the quorum has had other blocks for `headAgeMs`.
 */
export class NetworkHead<C extends Candidate = Candidate> {
  readonly #options: NetworkHeadOptions<C>;
  readonly #voting: Voting<C>;
  readonly #marks: ServedMarks;
  readonly #deserted: Persistence;
  readonly #outvoted: Persistence;
  readonly #unconfirmed: Persistence;
  /** Measures how long too few operators have had the quorum's block. Starts again when the head moves to a block that enough operators have. */
  readonly #short: Persistence;
  readonly #undecided = new Persistence(UNDECIDED_MS);
  readonly #known: Promise<void>;
  #resolveKnown: () => void = () => {};
  readonly #chain: CanonicalChain;
  /** Time at which the current head was first served, Unix ms. The head was made at this time or earlier, whatever its timestamp. */
  #servedAt = 0;
  #hindrance: HeadHindrance | undefined;
  /** The highest block that the quorum has, regardless of agreement. */
  #wished: BlockHeader | undefined;
  /** Hash of the served block at the last call of `onServed`. */
  #servedHash: string | undefined;
  #cancelCheck: () => void = () => {};

  /** @param chain empty chain to which served blocks are added */
  constructor(options: NetworkHeadOptions<C>, chain: CanonicalChain = new CanonicalChain()) {
    this.#options = options;
    this.#chain = chain;
    this.#voting = new Voting(options);
    this.#marks = new ServedMarks(options.share, (block) => this.#isAgreed(block));
    this.#deserted = new Persistence(options.giveUpMs);
    this.#outvoted = new Persistence(options.giveUpMs * OUTVOTED_FACTOR);
    this.#unconfirmed = new Persistence(options.headAgeMs);
    this.#short = new Persistence(options.agreement?.patienceMs ?? options.headAgeMs);
    this.#known = new Promise((resolve) => {
      this.#resolveKnown = resolve;
    });
  }

  get head(): BlockHeader | undefined {
    return this.#chain.head;
  }

  /**
   * Highest block of any node that is far ahead and whose chain is known to contain the baseline. The lag of all nodes is measured from the leader.
   */
  get leader(): BlockHeader | undefined {
    return this.#voting.leader;
  }

  /** Whether the first head waits for blocks or chains that nodes have not reported yet. */
  get isUndecided(): boolean {
    return this.head === undefined && this.#undecided.since !== undefined;
  }

  /** Reason why the head must not be served as the latest block; undefined if the head may be served. */
  get hindrance(): HeadHindrance | undefined {
    return this.#hindrance;
  }

  /** Whether the head must not be served as the latest block. */
  get isExpired(): boolean {
    return this.#hindrance !== undefined;
  }

  /** Highest block that the quorum has, while too few operators have this block; otherwise undefined. */
  get unagreed(): BlockHeader | undefined {
    return this.#wished === undefined || this.#isAgreed(this.#wished) ? undefined : this.#wished;
  }

  /**
   * Time for which too few operators have had the quorum's block, ms; 0 if enough have it. The time starts again when the head moves to a block that
   * enough operators have.
   */
  get shortMs(): number {
    const { since } = this.#short;
    return since === undefined ? 0 : this.#options.clock.now() - since;
  }

  /** The served head; undefined if the head must not be served as the latest block. */
  get served(): BlockHeader | undefined {
    return this.isExpired ? undefined : this.head;
  }

  /** Time since a healthy node last had the head, ms; 0 if a healthy node has it now. */
  get unconfirmedMs(): number {
    const { since } = this.#unconfirmed;
    return since === undefined ? 0 : this.#options.clock.now() - since;
  }

  /** Highest safe block that a quorum of the voters with a safe block has; never above the head. */
  get safe(): BlockHeader | undefined {
    return this.#marks.safe;
  }

  /** Highest finalized block that a quorum of the voters with a finalized block has; never above the head. */
  get finalized(): BlockHeader | undefined {
    return this.#marks.finalized;
  }

  /** Whether the safe and finalized blocks of every voter have been read. */
  get hasMarks(): boolean {
    return this.#voting.voters.every((report) => report.hasMarks);
  }

  /** Returns the hash of a recent canonical block, if it is known. */
  hashAt(number: bigint): string | undefined {
    return this.#chain.hashAt(number);
  }

  /** Returns the header of a recent canonical block, if it was received. */
  headerAt(number: bigint): BlockHeader | undefined {
    return this.#chain.headerAt(number);
  }

  /** Returns the number of a recent canonical block by its hash, if it is known. */
  numberOf(hash: string): bigint | undefined {
    return this.#chain.numberOf(hash);
  }

  /** Resolves once there is a head. */
  whenKnown(): Promise<void> {
    return this.#known;
  }

  /** Must be called whenever a report of a node changes, appears or disappears. */
  update(): void {
    const { share } = this.#options;
    const candidates = this.#options.candidates();
    const isUndecided = this.#elect(candidates);
    const voters = this.#voting.voters;
    this.#wished = isUndecided ? undefined : chooseHead(voters, share, this.head);
    this.#checkShort();
    const chosen = this.#findAdmitted(this.#findAgreed(this.#wished, voters), voters);
    if (chosen !== undefined && this.#mayMoveTo(chosen, voters)) this.#moveTo(chosen, voters);
    else this.#chain.learn(voters);
    this.#checkHolders(candidates, this.#checkShort());
    this.#marks.update(this.#chain, voters);
    this.#noteServed();
  }

  #isAgreed(block: Pick<BlockHeader, 'number' | 'hash'>): boolean {
    return this.#options.agreement?.has(block) !== false;
  }

  /**
   * Returns the remaining time, ms, until `patienceMs` (or `headAgeMs`) has passed with too few operators that have the quorum's block. Returns
   * infinity if enough operators have the quorum's block.
   */
  #checkShort(): number {
    return this.#short.check(this.unagreed !== undefined, this.#options.clock.now());
  }

  /** Whether the head follows the quorum alone for now, because too few operators have had its block for `patienceMs`. */
  get #isOnShareAlone(): boolean {
    const { patienceMs } = this.#options.agreement ?? {};
    return patienceMs !== undefined && this.shortMs >= patienceMs;
  }

  /**
   * Returns the highest block, not above `wished`, that the quorum and enough operators have. Returns `wished` if the head follows the quorum alone.
   */
  #findAgreed(wished: BlockHeader | undefined, voters: readonly ChainView[]): BlockHeader | undefined {
    if (wished === undefined || this.#isAgreed(wished)) return wished;
    this.#options.agreement?.onMissing(wished);
    if (this.#isOnShareAlone) return wished;
    return chooseHead(voters, this.#options.share, this.head, wished.number, (block) =>
      this.#isAgreed(block),
    );
  }

  /** Returns the block if `admission` admits its height; otherwise the highest agreed block at an admitted height. */
  #findAdmitted(block: BlockHeader | undefined, voters: readonly ChainView[]): BlockHeader | undefined {
    const { admission, share } = this.#options;
    if (block === undefined || admission === undefined || admission.admits(block.number)) return block;
    return chooseHead(voters, share, this.head, admission.admitted, (lower) => this.#isAgreed(lower));
  }

  /** Clears all blocks; called when the nodes turn out to serve a different chain. */
  reset(): void {
    const { head } = this;
    if (head === undefined) return;
    const hashes = this.#chain.numbers().flatMap((number) => this.#chain.hashAt(number) ?? []);
    this.#chain.clear();
    this.#marks.cutAbove(undefined);
    this.#options.onOrphaned(hashes);
    this.#noteServed();
  }

  /** Cancels the scheduled update that checks the time limits of the head. */
  stop(): void {
    this.#cancelCheck();
  }

  #noteServed(): void {
    const hash = this.served?.hash;
    if (hash === this.#servedHash) return;
    this.#servedHash = hash;
    this.#options.onServed();
  }

  /** Runs an election. @returns whether the first head waits for blocks or chains that nodes have not reported yet */
  #elect(candidates: readonly C[]): boolean {
    const { head } = this;
    const isUndecided = this.#voting.elect(candidates, {
      head: this.#options.isDevelopment ? undefined : head,
      servedAt: this.#servedAt,
      hashAt: (number: bigint) => this.hashAt(number),
    });
    return head === undefined && this.#mayWait(isUndecided);
  }

  /** Limits the time for which the first head waits, because nodes may report new unlinked heads again and again. */
  #mayWait(isUndecided: boolean): boolean {
    const { clock } = this.#options;
    const left = this.#undecided.check(isUndecided, clock.now());
    this.#cancelCheck();
    if (isUndecided && left > 0) this.#cancelCheck = clock.schedule(() => this.update(), left);
    return isUndecided && left > 0;
  }

  #mayMoveTo(block: BlockHeader, voters: readonly ChainView[]): boolean {
    const { head } = this;
    if (head === undefined || block.number > head.number) return true;
    if (block.hash === head.hash) return false;
    return this.#options.isDevelopment || this.#isReorged(block.number, voters);
  }

  /** Whether the quorum has a different block at a served height, at or above `from`. With `agreement`, enough operators must have this block too. */
  #isReorged(from: bigint, voters: readonly ChainView[]): boolean {
    const needed = countShare(this.#options.share, voters.length);
    return this.#chain
      .numbers()
      .filter((number) => number >= from)
      .some((number) =>
        countHashes(voters, number).some(
          ({ hash, views }) =>
            views >= needed &&
            hash !== this.#chain.hashAt(number) &&
            (this.#isOnShareAlone || this.#isAgreed({ number, hash })),
        ),
      );
  }

  #moveTo(block: BlockHeader, voters: readonly ChainView[]): void {
    const departure = this.#chain.moveTo(block, voters);
    this.#servedAt = this.#options.wallTime();
    if (this.#isAgreed(block)) this.#short.reset();
    this.#resolveKnown();
    if (departure === undefined) return;
    this.#marks.cutAbove(departure.ancestor);
    this.#options.onOrphaned(departure.hashes);
  }

  #checkHolders(candidates: readonly C[], untilFollowed: number): void {
    const { head } = this;
    const { clock, share } = this.#options;
    if (head === undefined) {
      if (untilFollowed > 0 && untilFollowed < Number.POSITIVE_INFINITY) this.#checkIn(untilFollowed);
      return;
    }
    const now = clock.now();
    const telling = candidates.filter(({ tracker }) => tracker.latest !== undefined && !tracker.isSyncing);
    const isKnown = telling.some(({ tracker }) => hasBlock(tracker, head));
    const voters = this.#voting.voters.filter(({ latest }) => latest !== undefined);
    const holders = voters.filter((report) => hasBlock(report, head)).length;
    const isOutvoted = holders < countShare(share, voters.length) && 2 * holders < voters.length;
    const untilAbandoned = Math.min(
      this.#deserted.check(telling.length > 0 && !isKnown, now),
      this.#outvoted.check(isOutvoted, now),
    );
    if (untilAbandoned <= 0 && this.#giveUp(head)) {
      this.#checkHolders(candidates, untilFollowed);
      return;
    }
    const untilExpired = this.#unconfirmed.check(!isKnown, now);
    this.#setHindrance(head, this.#findHindrance(head, untilExpired, untilFollowed));
    this.#cancelCheck();
    const next = Math.min(...[untilAbandoned, untilExpired, untilFollowed].filter((ms) => ms > 0));
    if (next < Number.POSITIVE_INFINITY) this.#checkIn(next);
  }

  #checkIn(ms: number): void {
    this.#cancelCheck();
    this.#cancelCheck = this.#options.clock.schedule(() => this.update(), ms);
  }

  #findHindrance(head: BlockHeader, untilExpired: number, untilStalled: number): HeadHindrance | undefined {
    const { agreement } = this.#options;
    if (untilExpired <= 0) return 'age';
    const isAgreed = this.#isAgreed(head);
    if (!isAgreed) agreement?.onMissing(head);
    if (agreement === undefined || agreement.patienceMs !== undefined) return undefined;
    if (!isAgreed) return 'voices';
    return untilStalled <= 0 ? 'stalled' : undefined;
  }

  #setHindrance(head: BlockHeader, hindrance: HeadHindrance | undefined): void {
    if (this.#hindrance === hindrance) return;
    this.#hindrance = hindrance;
    this.#options.onExpiry(head, hindrance);
  }

  /**
   * Replaces the head if the voters have a lower or equally high block that was made later. A lower block that was made later than the head is on
   * another branch. @returns whether the head was replaced
   */
  #giveUp(head: BlockHeader): boolean {
    const next = this.#findAgreed(chooseHead(this.#voting.voters, this.#options.share), this.#voting.voters);
    const madeAt = Math.min(Number(head.timestamp) * MS, this.#servedAt);
    if (next === undefined || Number(next.timestamp) * MS <= madeAt) return false;
    this.#moveTo(next, this.#voting.voters);
    this.#deserted.reset();
    this.#outvoted.reset();
    this.#options.onAbandoned(head, next);
    return true;
  }
}
