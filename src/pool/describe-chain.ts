import type { ChainFigures, UpstreamFigures } from '../observe/sources.ts';
import type { BlockStatus } from '../observe/status.ts';
import type { BlockHeader } from './heads/block.ts';
import type { NetworkHead } from './heads/network-head.ts';
import { describeState } from './node-state.ts';
import type { Upstream } from './upstream.ts';

const MS = 1_000;

/** Returns figures of a pool for metrics and the status page. */
export function describeChain(head: NetworkHead, upstreams: readonly Upstream[]): ChainFigures {
  const served = head.head;
  return {
    head: served === undefined ? undefined : describeBlock(served),
    ...(served !== undefined && { unconfirmed: head.unconfirmedMs, isExpired: head.isExpired }),
    upstreams: upstreams.map((upstream) => describeUpstream(upstream, served?.number)),
  };
}

function describeBlock({ number, hash, timestamp }: BlockHeader): BlockStatus {
  return { number: Number(number), hash, timestamp: Number(timestamp) * MS };
}

function describeUpstream(upstream: Upstream, served: bigint | undefined): UpstreamFigures {
  const { name, health, faults, seconds } = upstream;
  const head = upstream.tracker.latest?.number;
  const lag = head === undefined || served === undefined ? undefined : Math.max(0, Number(served - head));
  const { state, reason } = describeState(upstream, lag);
  return {
    name,
    state,
    ...(reason !== undefined && { reason: `it ${reason}` }),
    ...(head !== undefined && { head: Number(head) }),
    ...(lag !== undefined && { lag }),
    latency: health.latencyMs,
    errorRate: health.errorRate,
    inFlight: health.inFlight,
    circuit: health.circuit,
    hasVote: upstream.isUp && upstream.vote === 'votes',
    faults,
    seconds,
  };
}
