import type { UpstreamFault } from './fault.ts';
import type { Vote } from './heads/electorate.ts';
import type { Identity } from './identity.ts';

/**
 * Whether a node may be used. `unverified`: it is not known yet whether the node is on the network's chain. A node is unverified at the start, and
 * after it was away. `quarantined`: the node belongs to another chain, sent an answer that its block refutes, or exceeded a bound. `disputed`: nodes
 * report different genesis blocks, and the network's genesis block is undecided.
 */
export type Standing = 'unverified' | 'verified' | 'quarantined' | 'disputed';

/**
 * Whether an operator has taken the node out of service. A `leaving` node still gets calls but no longer counts for the head, so that another node
 * has each new head. A `cordoned` node gets no new calls.
 */
export type Cordon = 'none' | 'leaving' | 'cordoned';

/** Fault of an identification. The message may reach a client. */
export type IdentityFault = Pick<UpstreamFault, 'kind' | 'message'>;

/** Immutable state of a node in its pool: membership, availability, fork, vote, and cordon. Only `applyEvent` creates new records. */
export type NodeRecord = {
  readonly standing: Standing;
  /** Last identity that the node reported. */
  readonly identity: Identity | undefined;
  /** Fault with which the last identification of the node failed. */
  readonly identityFault: IdentityFault | undefined;
  /** Description of the difference from the network's chain while the node is quarantined, or from the other nodes while it is disputed. */
  readonly mismatch: string | undefined;
  /** Reason for a temporary quarantine: a wrong answer, or an answer that exceeds a bound. The text is the predicate of a sentence about the node. */
  readonly evidence: string | undefined;
  /** Result of the latest election of the head. */
  readonly vote: Vote;
  /** Whether the node reported a block different from the served one, and has not been identified again since. */
  readonly hasMismatch: boolean;
  /** Whether the node's blocks contradict the blocks that the network serves. */
  readonly isOnFork: boolean;
  /**
   * Set when the service starts, until the node is identified or has exceeded its startup time. An awaited node counts in the quorum, so that the
   * other nodes have no majority without this node.
   */
  readonly isAwaited: boolean;
  /** Number of the latest block that the node had reported at the last `headReported` event. */
  readonly lastHead: bigint | undefined;
  /** Number of consecutive failed polls for the node's head. */
  readonly missedPolls: number;
  /** Message of the fault of the last failed poll; undefined after an answered poll. */
  readonly pollFault?: string | undefined;
  readonly cordon: Cordon;
};

/**
 * Result of comparing the identity of a node with the chain of the network. `quarantined` without `mismatch`: the temporary quarantine for the reason
 * in `NodeRecord.evidence` has not ended.
 */
export type ChainComparison =
  | { readonly standing: 'verified' | 'quarantined'; readonly mismatch?: undefined }
  | { readonly standing: 'disputed' | 'quarantined'; readonly mismatch: string };

/** An event in the life of a node. */
export type NodeEvent =
  | { readonly kind: 'polled'; readonly isAnswered: boolean; readonly fault?: string | undefined }
  | { readonly kind: 'identified'; readonly identity: Identity }
  | { readonly kind: 'notIdentified'; readonly fault: IdentityFault }
  /** The startup time of the node is exceeded, so the network no longer waits for the node. */
  | { readonly kind: 'startTimeExceeded' }
  /** The node answers again after being away: it may have been replaced. */
  | { readonly kind: 'returned' }
  /** The node reported a block that is different from the served block, so the node must be identified again. */
  | { readonly kind: 'mismatched' }
  | { readonly kind: 'quarantined'; readonly evidence: string }
  /** The identity was compared with the network. `isIdentified`: the node was identified again for it, which ends `hasMismatch`. */
  | { readonly kind: 'classified'; readonly verdict: ChainComparison; readonly isIdentified?: boolean }
  | { readonly kind: 'compared'; readonly isOnFork: boolean }
  | { readonly kind: 'headReported'; readonly number: bigint | undefined }
  | { readonly kind: 'voted'; readonly vote: Vote }
  /** An operator took the node out of service, or back into service. */
  | { readonly kind: 'cordonChanged'; readonly cordon: Cordon };

/** Effect of an event that the pool must execute, in addition to the new record. */
export type NodeEffect = 'isAway' | 'isBack' | 'standingChanged' | 'mismatchEnded';

const MISSED_POLLS = 2;

export const UNKNOWN_NODE: NodeRecord = {
  standing: 'unverified',
  identity: undefined,
  identityFault: undefined,
  mismatch: undefined,
  evidence: undefined,
  vote: 'silent',
  hasMismatch: false,
  isOnFork: false,
  isAwaited: true,
  lastHead: undefined,
  missedPolls: 0,
  cordon: 'none',
};

/** Whether the last polls of the node have failed, more than one in a row. */
export function isAway({ missedPolls }: NodeRecord): boolean {
  return missedPolls >= MISSED_POLLS;
}

/** Returns the record after an event. */
export function applyEvent(record: NodeRecord, event: NodeEvent): NodeRecord {
  switch (event.kind) {
    case 'polled':
      return {
        ...record,
        missedPolls: event.isAnswered ? 0 : record.missedPolls + 1,
        pollFault: event.fault,
      };
    case 'identified':
      return { ...record, identity: event.identity, identityFault: undefined };
    case 'notIdentified':
      return { ...record, identityFault: event.fault, isAwaited: false };
    case 'startTimeExceeded':
      return { ...record, isAwaited: false };
    case 'returned':
      return record.standing === 'verified' ? withStanding(record, 'unverified') : record;
    case 'mismatched':
      return { ...record, hasMismatch: true };
    case 'quarantined':
      return { ...record, evidence: event.evidence };
    case 'classified':
      return classify(
        event.isIdentified === true ? { ...record, hasMismatch: false } : record,
        event.verdict,
      );
    case 'compared':
      return record.isOnFork === event.isOnFork ? record : { ...record, isOnFork: event.isOnFork };
    case 'headReported':
      return { ...record, lastHead: event.number };
    case 'voted':
      return record.vote === event.vote ? record : { ...record, vote: event.vote };
    case 'cordonChanged':
      return { ...record, cordon: event.cordon };
  }
}

/** Returns the effects of an event that turned one record into another. */
export function listEffects(before: NodeRecord, after: NodeRecord): readonly NodeEffect[] {
  if (before === after) return NONE;
  const effects: NodeEffect[] = [];
  if (isAway(before) !== isAway(after)) effects.push(isAway(after) ? 'isAway' : 'isBack');
  if (before.standing !== after.standing) effects.push('standingChanged');
  if (before.hasMismatch && !after.hasMismatch) effects.push('mismatchEnded');
  return effects;
}

const NONE: readonly NodeEffect[] = [];

function classify(record: NodeRecord, { standing, mismatch }: ChainComparison): NodeRecord {
  const isEvident = standing === 'quarantined' && mismatch === undefined;
  return withStanding(isEvident ? record : { ...record, evidence: undefined, mismatch }, standing);
}

function withStanding(record: NodeRecord, standing: Standing): NodeRecord {
  return record.standing === standing ? record : { ...record, standing, isAwaited: false };
}
