import type { BlockHeader } from './block.ts';
import type { Share } from './choose-head.ts';
import { type Candidate, elect, type HeadReport, type ServedChain, type Vote } from './electorate.ts';
import type { LagBounds } from './lag.ts';

/** Called with the results of elections. */
export type VotingListener<C extends Candidate> = {
  /** Called when the vote of a node has changed; `candidate` has the new vote. `leader` is the block from which the lag of nodes is measured. */
  onVote(candidate: C, before: Vote, leader: BlockHeader | undefined): void;
  /** Called when a node seems to be far ahead. The callee must check whether the node's chain contains the block with this number. */
  onUnlinked(candidate: C, number: bigint): void;
  /**
   * Called with `isAhead` true if a node is far ahead of the head, but ignored because a majority stays at the head; called with false when this
   * ends.
   */
  onAhead(candidate: C, isAhead: boolean): void;
};

export type VotingOptions<C extends Candidate> = LagBounds &
  VotingListener<C> & {
    readonly share: Share;
    /** Returns the current time, Unix ms. */
    wallTime(): number;
  };

/** The votes of a network's nodes: which nodes vote, and which of them are far ahead of the head. */
export class Voting<C extends Candidate> {
  readonly #options: VotingOptions<C>;
  #voters: readonly HeadReport[] = [];
  #leader: BlockHeader | undefined;
  #ahead: readonly C[] = [];

  constructor(options: VotingOptions<C>) {
    this.#options = options;
  }

  /** Reports of the nodes that vote. */
  get voters(): readonly HeadReport[] {
    return this.#voters;
  }

  /** Highest block of the nodes that are far ahead and known to have the baseline on their chain. */
  get leader(): BlockHeader | undefined {
    return this.#leader;
  }

  /**
   * Decides which nodes vote.
   * @param served the served chain
   * @returns whether nodes have not reported blocks or chains on which the result depends
   */
  elect(candidates: readonly C[], served: ServedChain): boolean {
    const { share, maxLagBlocks, maxLagMs } = this.#options;
    const wallTime = this.#options.wallTime();
    const election = elect(candidates, served, { share, maxLagBlocks, maxLagMs, wallTime });
    this.#leader = election.leader;
    const before = candidates.map(({ vote }) => vote);
    for (const [i, candidate] of candidates.entries()) candidate.noteVote(election.votes[i] as Vote);
    this.#voters = candidates.filter(({ vote }) => vote === 'votes').map(({ tracker }) => tracker);
    for (const [i, candidate] of candidates.entries()) {
      if (candidate.vote !== before[i]) this.#options.onVote(candidate, before[i] as Vote, this.#leader);
    }
    for (const candidate of election.unlinked) {
      this.#options.onUnlinked(candidate, election.baseline?.number ?? 0n);
    }
    this.#noteAhead(election.outnumbered);
    return election.isUndecided;
  }

  #noteAhead(ahead: readonly C[]): void {
    const before = this.#ahead;
    this.#ahead = ahead;
    for (const candidate of ahead) if (!before.includes(candidate)) this.#options.onAhead(candidate, true);
    for (const candidate of before) if (!ahead.includes(candidate)) this.#options.onAhead(candidate, false);
  }
}
