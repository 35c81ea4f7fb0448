import type { ChainFigures, UpstreamFigures } from '../observe/sources.ts';
import type { BlockStatus, UpstreamStatus } from '../observe/status.ts';
import type { NetworkHead } from './heads/network-head.ts';
import type { Upstream } from './upstream.ts';

const MS = 1_000;

/** What metrics and the status page show of a pool. */
export function describeChain(head: NetworkHead, upstreams: readonly Upstream[]): ChainFigures {
  const served = head.head;
  return {
    head: served === undefined ? undefined : describeBlock(served),
    upstreams: upstreams.map((upstream) => describeUpstream(upstream, served?.number)),
  };
}

function describeBlock({
  number,
  hash,
  timestamp,
}: {
  readonly number: bigint;
  readonly hash: string;
  readonly timestamp: bigint;
}): BlockStatus {
  return { number: Number(number), hash, timestamp: Number(timestamp) * MS };
}

function describeUpstream(upstream: Upstream, served: bigint | undefined): UpstreamFigures {
  const { name, health, faults, seconds } = upstream;
  const head = upstream.tracker.latest?.number;
  const lag = head === undefined || served === undefined ? undefined : Math.max(0, Number(served - head));
  const { state, reason } = judge(upstream, lag);
  return {
    name,
    state,
    ...(reason !== undefined && { reason }),
    ...(head !== undefined && { head: Number(head) }),
    ...(lag !== undefined && { lag }),
    latency: health.latencyMs,
    errorRate: health.errorRate,
    inFlight: health.inFlight,
    circuit: health.circuit,
    faults,
    seconds,
  };
}

type Judgement = { readonly state: UpstreamStatus['state']; readonly reason?: string };

function judge(upstream: Upstream, lag: number | undefined): Judgement {
  if (upstream.standing === 'quarantined') return { state: 'excluded', reason: 'it is of another chain' };
  if (upstream.isOnFork) return { state: 'excluded', reason: 'its blocks contradict the chain' };
  if (upstream.isAway) return { state: 'down', reason: 'it does not answer' };
  if (upstream.standing === 'unverified')
    return { state: 'down', reason: 'it has not said which chain it is of' };
  if (upstream.health.circuit === 'open') return { state: 'down', reason: 'it fails too often' };
  if (upstream.health.isPaused) return { state: 'down', reason: 'it asked for a rest' };
  return { state: lag !== undefined && lag > 0 ? 'lagging' : 'up' };
}
