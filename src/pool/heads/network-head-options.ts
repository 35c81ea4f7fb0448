import type { Clock } from '../../util/clock.ts';
import type { BlockHeader } from './block.ts';
import type { Share } from './choose-head.ts';
import type { Candidate } from './electorate.ts';
import type { LagBounds } from './lag.ts';
import type { SharedHeights } from './shared-heights.ts';
import type { VotingListener } from './voting.ts';

/** Agreement of the configured operators on a block, in addition to the quorum of nodes. */
export interface HeadAgreement {
  /** Whether the block is known to be on the chains of enough operators now. */
  has(block: Pick<BlockHeader, 'number' | 'hash'>): boolean;
  /**
   * Called if too few operators are known to have the quorum's block, or the served block. The callee must request the block from the operators that
   * are not known to have it.
   */
  onMissing(block: BlockHeader): void;
  /** Time after which the head follows the quorum alone if too few operators agree, ms; undefined if agreement is mandatory. */
  readonly patienceMs: number | undefined;
}

/**
 * Reason why the head must not be served as the latest block. `age`: no healthy node has had the head for `headAgeMs`. `voices` and `stalled` occur
 * only if the agreement of operators is mandatory (`patienceMs` undefined). `voices`: too few operators have the served head now. `stalled`: for
 * `headAgeMs`, the quorum has had blocks that too few operators have, so the head has not moved.
 */
export type HeadHindrance = 'age' | 'voices' | 'stalled';

export type NetworkHeadOptions<C extends Candidate = Candidate> = LagBounds &
  VotingListener<C> & {
    readonly share: Share;
    /** Time without any healthy node that has the head, after which the head may move to a lower block, ms. */
    readonly giveUpMs: number;
    /** Time for which a head that no healthy node has is still served, ms. */
    readonly headAgeMs: number;
    /** Whether the network is one development node. The head of such a node may move to a lower block at any time. */
    readonly isDevelopment: boolean;
    /** Agreement of operators that every served block needs; absent if the quorum alone decides. */
    readonly agreement?: HeadAgreement | undefined;
    /** Heights that this process may serve because the other processes know them; absent if the chain is served by only one process. */
    readonly admission?: Pick<SharedHeights, 'admits' | 'admitted'> | undefined;
    /** Returns the nodes that are healthy now. */
    candidates(): readonly C[];
    /** Returns the current time, Unix ms. */
    wallTime(): number;
    /** Called with the hashes of served blocks that left the chain, highest first. */
    onOrphaned(hashes: readonly string[]): void;
    onAbandoned(from: BlockHeader, to: BlockHeader): void;
    /**
     * Called when the head is no longer served, or when the reason why it is not served has changed. When the head is served again, `hindrance` is
     * undefined.
     */
    onExpiry(head: BlockHeader, hindrance: HeadHindrance | undefined): void;
    /** Called after all other events if `served` is another block than before, or has become undefined or defined. */
    onServed(): void;
    readonly clock: Clock;
  };
