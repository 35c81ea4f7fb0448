import type { ChainFigures, UpstreamFigures } from '../observe/sources.ts';
import type { BlockStatus } from '../observe/status.ts';
import type { BlockHeader } from './heads/block.ts';
import type { NetworkHead } from './heads/network-head.ts';
import { describeState } from './node-state.ts';
import type { Upstream } from './upstream.ts';

const MS = 1_000;

/**
 * Returns figures of a pool for metrics and the status page.
 * @param isDevelopment whether the node makes blocks on demand, so that there is no usual time between blocks
 */
export function describeChain(
  head: NetworkHead,
  upstreams: readonly Upstream[],
  isDevelopment: boolean,
): ChainFigures {
  const served = head.head;
  const blockTimes = isDevelopment ? [] : upstreams.flatMap(({ tracker }) => tracker.blockTime ?? []);
  return {
    head: served === undefined ? undefined : describeBlock(served),
    ...(head.safe !== undefined && { safe: Number(head.safe.number) }),
    ...(head.finalized !== undefined && { finalized: Number(head.finalized.number) }),
    ...(isDevelopment && { isDevelopment: true }),
    // The maximum is used, because a node that is catching up measures a shorter block time.
    ...(blockTimes.length > 0 && { blockTime: Math.max(...blockTimes) }),
    ...(served !== undefined && { unconfirmed: head.unconfirmedMs, isExpired: head.isExpired }),
    upstreams: upstreams.map((upstream) => describeUpstream(upstream, served?.number)),
  };
}

function describeBlock({ number, hash, timestamp }: BlockHeader): BlockStatus {
  return { number: Number(number), hash, timestamp: Number(timestamp) * MS };
}

function describeUpstream(upstream: Upstream, served: bigint | undefined): UpstreamFigures {
  const { name, health, faults, seconds, spend } = upstream;
  const head = upstream.tracker.latest?.number;
  const lag = head === undefined || served === undefined ? undefined : Math.max(0, Number(served - head));
  const { state, reason, detail } = describeState(upstream, lag);
  const measured = upstream.isUp && state !== 'excluded' ? health.measured : undefined;
  return {
    name,
    state,
    ...(reason !== undefined && { reason: `it ${reason}${detail === undefined ? '' : `: ${detail}`}` }),
    ...(head !== undefined && { head: Number(head) }),
    ...(lag !== undefined && { lag }),
    ...(measured !== undefined && { errorRate: measured.errorRate }),
    ...(measured !== undefined && measured.errorRate < 1 && { latency: measured.latencyMs }),
    inFlight: health.inFlight,
    circuit: health.circuit,
    hasVote: upstream.isUp && !upstream.isOutOfUse && upstream.vote === 'votes',
    isCordoned: upstream.isCordoned,
    faults,
    seconds,
    ...(spend !== undefined && { spend: spend.describe(), creditsSpent: spend.total }),
  };
}
