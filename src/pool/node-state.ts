import type { UpstreamStatus } from '../observe/status.ts';
import { countOf } from '../util/count-of.ts';
import type { Upstream } from './upstream.ts';

export type NodeState = {
  readonly state: UpstreamStatus['state'];
  /** Reason why the node is not used normally, as the predicate of a sentence about the node, for example `does not answer`. */
  readonly reason?: string;
  /** Cause of the reason, for operators and not for clients: the fault of the node's last poll. It has no address, key or body. */
  readonly detail?: string;
};

/** Describes whether a node is used, and the reason if it is not. @param lag number of blocks behind the served head, if both are known */
export function describeState(upstream: Upstream, lag: number | undefined): NodeState {
  const { health } = upstream;
  const { standing, mismatch, evidence, vote } = upstream.record;
  if (standing === 'quarantined' && evidence !== undefined) return { state: 'excluded', reason: evidence };
  if (standing === 'quarantined') {
    const how = mismatch === undefined ? '' : `: ${mismatch}`;
    return { state: 'excluded', reason: `is of another chain${how}` };
  }
  if (upstream.isCordoned) return { state: 'excluded', reason: 'is cordoned by an operator' };
  if (upstream.isOnFork) return { state: 'excluded', reason: 'has blocks that contradict the chain' };
  if (upstream.isAway) {
    const { pollFault } = upstream.record;
    return {
      state: 'down',
      reason: 'does not answer',
      ...(pollFault !== undefined && { detail: pollFault }),
    };
  }
  if (standing === 'unverified') return { state: 'down', reason: describeUnverified(upstream) };
  if (standing === 'disputed') return { state: 'excluded', reason: mismatch ?? '' };
  if (health.silence.isSilent)
    return { state: 'down', reason: 'does not answer calls that other nodes answer' };
  if (health.circuit === 'open') return { state: 'down', reason: 'fails too often (circuit breaker open)' };
  if (health.isPaused) {
    const { pausedBy } = health;
    const reason =
      pausedBy === 'nodes.rate' ? 'is rate limited' : `is not available now (bound: ${pausedBy})`;
    return { state: 'down', reason };
  }
  if (upstream.spend?.isBarred === true) return { state: 'excluded', reason: upstream.spend.reason };
  if (vote === 'syncing') return { state: 'lagging', reason: describeSync(upstream) };
  if (vote === 'lagging')
    return { state: 'lagging', reason: `is far behind: block ${upstream.tracker.latest?.number}` };
  if (upstream.tracker.latest === undefined) return { state: 'lagging', reason: 'has not reported a head' };
  if (upstream.spend?.isUsedUp === true)
    return { state: 'up', reason: `${upstream.spend.reason}: it is used only if no other node answers` };
  if (vote === 'lowerTier') return { state: 'up', reason: 'is in reserve: a better tier is healthy' };
  return lag !== undefined && lag > 0
    ? { state: 'lagging', reason: describeHeight(upstream) }
    : { state: 'up' };
}

function describeUnverified({ record: { identity, identityFault } }: Upstream): string {
  if (identityFault === undefined)
    return identity === undefined ? 'is not identified yet' : 'is being identified';
  const { kind, message } = identityFault;
  const isSilent = kind === 'unreachable' || kind === 'timeout';
  return isSilent ? 'does not answer' : `does not report a chain id: ${message.replace(/^the node /, 'it ')}`;
}

function describeHeight({ tracker: { latest } }: Upstream): string {
  return `is at block ${latest?.number}`;
}

function describeSync({ tracker: { latest, syncTarget } }: Upstream): string {
  if (latest === undefined) return 'is syncing';
  return `is syncing: block ${latest.number}${syncTarget === undefined ? '' : ` of ${syncTarget}`}`;
}

/** Maximum number of reasons in one message. The reasons that apply to the most nodes come first. */
const MAX_REASONS = 5;
const PLURALS: ReadonlyMap<string, string> = new Map([
  ['is', 'are'],
  ['has', 'have'],
  ['does', 'do'],
  ['fails', 'fail'],
]);

/**
 * Explains why none of these nodes can be used: `the only node does not answer`, `2 nodes do not answer, 1 node is syncing: block 0`.
 * @param total number of nodes of the network
 */
export function explainOutage(upstreams: readonly Upstream[], total: number = upstreams.length): string {
  const counts = new Map<string, number>();
  for (const upstream of upstreams) {
    const { reason = describeHeight(upstream) } = describeState(upstream, undefined);
    counts.set(reason, (counts.get(reason) ?? 0) + 1);
  }
  const reasons = [...counts].sort((a, b) => b[1] - a[1]).slice(0, MAX_REASONS);
  if (total === 1) return `the only node ${reasons[0]?.[0]}`;
  return reasons.map(([reason, count]) => `${countOf(count, 'node')} ${conjugate(reason, count)}`).join(', ');
}

/** Converts the verb, which is the first word, to the plural. */
function conjugate(reason: string, count: number): string {
  const [verb = '', ...rest] = reason.split(' ');
  if (count === 1) return reason;
  return [PLURALS.get(verb) ?? verb, ...rest].join(' ').replace(': it ', ': each ');
}
