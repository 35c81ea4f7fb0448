import type { BlockHeader } from './block.ts';
import { type ChainView, chooseHead, type Share } from './choose-head.ts';
import { contradictsChain } from './contradicts-chain.ts';
import { isFarBehind, type LagBounds } from './lag.ts';

/** Heads that one healthy node reports. */
export interface HeadReport extends ChainView {
  /** Whether the safe and finalized blocks of the node have been requested. */
  readonly hasMarks: boolean;
  readonly safe: BlockHeader | undefined;
  readonly finalized: BlockHeader | undefined;
  /** Whether the node reports that it is syncing. */
  readonly isSyncing: boolean;
  /** Whether the node's first block is still being requested. Until the block arrives, the node counts in the quorum as a voter without a block. */
  readonly isExpected: boolean;
  /**
   * Whether the parent of `latest` and the block of this number were already requested from the node. If both were requested, another request would
   * show no more of the node's chain.
   */
  hasShown(number: bigint): boolean;
}

/**
 * Vote of a healthy node for the head. `silent`: the node has not reported a block; `syncing`: it reports that it is syncing; `lagging`: it is far
 * behind;
 * `lowerTier`: the node does not vote, because nodes of a better tier vote.
 */
export type Vote = 'votes' | 'silent' | 'syncing' | 'lagging' | 'lowerTier';

/** A healthy node of the network. */
export type Candidate = {
  readonly tracker: HeadReport;
  /** Tier of the node; a lower number is better. */
  readonly tier: number;
  /** Whether the node is used only if no other node can be used. Like a node of a tier below all others, it then votes only if none of them does. */
  readonly isReserve?: boolean;
  /** Vote in the latest election. */
  readonly vote: Vote;
  /** Records the node's vote in an election. */
  noteVote(vote: Vote): void;
};

/** The served chain, and the time at which its head was first served, Unix ms. */
export type ServedChain = {
  readonly head: BlockHeader | undefined;
  readonly servedAt: number;
  hashAt(number: bigint): string | undefined;
};

export type ElectionRules = LagBounds & {
  readonly share: Share;
  /** Current time, Unix ms. */
  readonly wallTime: number;
};

export type Election<C extends Candidate = Candidate> = {
  /** Votes in the order of `candidates`. */
  readonly votes: readonly Vote[];
  /** Nodes that seem to be far ahead, and of which it was not requested yet whether their chain contains the baseline. */
  readonly unlinked: readonly C[];
  /**
   * Whether the choice of the first head should wait for the chains of `unlinked` nodes. If the first head would be an old block, the choice also
   * waits for the first block of each node.
   */
  readonly isUndecided: boolean;
  /** Nodes far ahead of the baseline that are ignored, because a greater number of nodes (in the same or a better tier) stay at the baseline. */
  readonly outnumbered: readonly C[];
  /**
   * Block that the chain of every node far ahead must contain: the served head. While no head is served, the baseline is the block that the quorum
   * has.
   */
  readonly baseline: BlockHeader | undefined;
  /** Highest block of a node whose chain is known to contain the baseline. */
  readonly leader: BlockHeader | undefined;
};

/** Number that is added to the tier of a reserve; above all tiers of a configuration. */
const RESERVE_TIER = 1_000;
/** Factor on the lag bounds for a node that already lags (hysteresis). The node votes again only when its lag is below the reduced bounds. */
const CAUGHT_UP = 0.5;
const MS = 1_000;

/**
 * Decides which candidates vote. Candidates vote if they are neither syncing nor lagging, unless a candidate in a better tier votes. A node lags if
 * it is far behind the served head or the leader. While no head is served, it lags if it is far behind the baseline, the block that the quorum has.
 * The leader is the head of the highest node that is far ahead of the baseline and not ignored as outnumbered. The leader counts only if its chain is
 * known to contain the baseline and the parent of its head. Lag in time ends at the leader's timestamp or at the current time, whichever is earlier.
 * A node with recent blocks therefore never lags, whatever timestamp another node claims. A node on a branch that is not served is compared only with
 * the leader.
 */
export function elect<C extends Candidate>(
  candidates: readonly C[],
  served: ServedChain,
  rules: ElectionRules,
): Election<C> {
  const synced = candidates.filter(({ tracker }) => tracker.latest !== undefined && !tracker.isSyncing);
  const views = synced.map(({ tracker }) => tracker);
  const baseline = served.head ?? chooseHead(views, rules.share);
  const ahead = synced.filter(({ tracker }) => isFarAhead(tracker, baseline, rules));
  const keepers = synced.filter(
    (candidate) => !ahead.includes(candidate) && keepsTo(candidate, served, baseline, rules),
  );
  const outnumbered = ahead.filter((candidate) => {
    const tier = tierOf(candidate);
    return countUpTo(tier, keepers) > countUpTo(tier, ahead);
  });
  const accepted = ahead.filter((candidate) => !outnumbered.includes(candidate));
  const leader = findHighest(accepted.filter(({ tracker }) => showsChain(tracker, baseline)));
  const reference = leader ?? (served.head === undefined ? baseline : undefined);
  const withoutTier = candidates.map((candidate) => classify(candidate, reference, served, rules));
  const tiers = candidates.flatMap((candidate, i) => (withoutTier[i] === 'votes' ? [tierOf(candidate)] : []));
  const best = Math.min(...tiers);
  const unlinked = accepted.filter(({ tracker }) => mayYetShowChain(tracker, baseline));
  return {
    votes: candidates.map((candidate, i) => {
      const vote = withoutTier[i] as Vote;
      return vote === 'votes' && tierOf(candidate) > best ? 'lowerTier' : vote;
    }),
    unlinked,
    isUndecided: unlinked.length > 0 || (isOld(baseline, rules) && candidates.some(isStillExpected)),
    outnumbered,
    baseline,
    leader,
  };
}

function classify(
  candidate: Candidate,
  reference: BlockHeader | undefined,
  served: ServedChain,
  rules: ElectionRules,
): Vote {
  const { tracker, vote } = candidate;
  const { latest } = tracker;
  if (latest === undefined) return tracker.isExpected ? 'votes' : 'silent';
  if (tracker.isSyncing) return 'syncing';
  const part = partOf(vote);
  if (reference !== undefined && isFarBehind(latest, reference, rules.wallTime, rules, part))
    return 'lagging';
  return isBehindServed(candidate, served, rules) ? 'lagging' : 'votes';
}

function isBehindServed({ tracker, vote }: Candidate, served: ServedChain, rules: LagBounds): boolean {
  const { head, servedAt } = served;
  if (head === undefined || tracker.latest === undefined) return false;
  return (
    isFarBehind(tracker.latest, head, servedAt, rules, partOf(vote)) && !contradictsChain(served, tracker)
  );
}

function partOf(vote: Vote): number {
  return vote === 'lagging' ? CAUGHT_UP : 1;
}

/**
 * Whether a node that is not far ahead counts as a vote against nodes that are far ahead. Either the chain is idle and the blocks far ahead are
 * forged, or the other nodes are stuck; the number of nodes decides. While no head is served, a node counts if its head is exactly the block that the
 * quorum has. All nodes of an idle chain have the same head, but lagging nodes rarely have the same head. A node at block 0 does not count, because
 * it may not have begun to sync.
 */
function keepsTo(
  candidate: Candidate,
  served: ServedChain,
  baseline: BlockHeader | undefined,
  rules: LagBounds,
): boolean {
  if (baseline === undefined || baseline.number === 0n) return false;
  if (served.head === undefined) return candidate.tracker.latest?.hash === baseline.hash;
  return !isBehindServed(candidate, served, rules);
}

/** Whether a block is so old that nodes at this block may be lagging. */
function isOld(block: BlockHeader | undefined, { wallTime, maxLagMs }: ElectionRules): boolean {
  return block !== undefined && wallTime - Number(block.timestamp) * MS > maxLagMs;
}

function isStillExpected({ tracker }: Candidate): boolean {
  return tracker.latest === undefined && tracker.isExpected;
}

/** Returns the number of candidates in `tier` or in a better tier. */
function countUpTo(tier: number, candidates: readonly Candidate[]): number {
  return candidates.filter((candidate) => tierOf(candidate) <= tier).length;
}

function tierOf({ tier, isReserve }: Candidate): number {
  return isReserve === true ? tier + RESERVE_TIER : tier;
}

function isFarAhead(
  { latest }: HeadReport,
  baseline: BlockHeader | undefined,
  { wallTime, ...rules }: ElectionRules,
): boolean {
  return latest !== undefined && baseline !== undefined && isFarBehind(baseline, latest, wallTime, rules);
}

/** Whether a node has reported the parent of its head, and the baseline as an ancestor of its head. */
function showsChain(view: HeadReport, baseline: BlockHeader | undefined): boolean {
  return showsParent(view) && (baseline === undefined || view.hashAt(baseline.number) === baseline.hash);
}

function showsParent(view: HeadReport): boolean {
  const { latest } = view;
  if (latest === undefined) return false;
  return latest.number === 0n || view.headerAt(latest.number - 1n)?.hash === latest.parentHash;
}

/**
 * Whether a request may still show that the chain of a node far ahead contains the baseline. A request is useful if no known block contradicts this,
 * and if the node's chain was not requested yet.
 */
function mayYetShowChain(view: HeadReport, baseline: BlockHeader | undefined): boolean {
  if (baseline === undefined || showsChain(view, baseline) || view.hasShown(baseline.number)) return false;
  const known = view.hashAt(baseline.number);
  return known === undefined || known === baseline.hash;
}

function findHighest(candidates: readonly Candidate[]): BlockHeader | undefined {
  let highest: BlockHeader | undefined;
  for (const { tracker } of candidates) {
    const { latest } = tracker;
    if (latest !== undefined && (highest === undefined || latest.number > highest.number)) highest = latest;
  }
  return highest;
}
