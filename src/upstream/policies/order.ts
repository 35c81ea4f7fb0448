import type { JsonResult } from '../../primitives/json-result.ts';
import { UpstreamFault } from '../fault.ts';
import { explainOutage } from '../node-state.ts';
import { Route } from '../route.ts';
import type { Exchange, Policy, Routed, RoutedCall } from '../routed-call.ts';
import type { Upstream } from '../upstream.ts';

/**
 * Chooses who may be asked, and in which order: those that have the block and the method, the lowest tier first, in
 * a tier the one that is expected to answer soonest. Upstreams with an open circuit come last instead of never: when
 * all are down, asking is the only way to find out which is back.
 */
export function order(upstreams: readonly Upstream[]): Policy<Exchange, Routed> {
  let favourite: Upstream | undefined;
  return (next) => {
    const ask = (exchange: Exchange, hasWaited: boolean): Promise<JsonResult> => {
      const candidates = findCandidates(upstreams, exchange);
      if (candidates instanceof UpstreamFault) {
        // One that is being identified may be what is missing.
        const checks = hasWaited ? [] : upstreams.flatMap(({ checking }) => checking ?? []);
        if (checks.length === 0) return Promise.reject(candidates);
        return waitForOne(checks, exchange.scope.deadline).then(() => ask(exchange, true));
      }
      if (exchange.call.isSticky === true) {
        favourite = keepFavourite(favourite, candidates);
        moveToFront(candidates, favourite);
      }
      const answer = next({ ...exchange, route: new Route(candidates) });
      const { block } = exchange.call;
      if (block === undefined || candidates.some(({ tracker }) => tracker.holds(block.number, block.hash)))
        return answer;
      return answer.catch((error: unknown) => {
        throw isMissing(error) ? explainMissing(block.number, upstreams) : error;
      });
    };
    return (exchange) => ask(exchange, false);
  };
}

/** Whether a node that is behind did not have the block, in whatever words. */
function isMissing(error: unknown): boolean {
  return error instanceof UpstreamFault && error.kind === 'missing';
}

function explainMissing(block: bigint, upstreams: readonly Upstream[]): UpstreamFault {
  return new UpstreamFault('unreachable', `no node has block ${block} now: ${explainOutage(upstreams)}`);
}

/** Until the first of them is done, or the time is up. */
function waitForOne(works: readonly Promise<void>[], deadline: number): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(resolve, Math.max(0, deadline - performance.now()));
    void Promise.race(works).then(() => {
      clearTimeout(timer);
      resolve();
    });
  });
}

function findCandidates(
  upstreams: readonly Upstream[],
  { call, except }: Exchange,
): Upstream[] | UpstreamFault {
  const candidates: Upstream[] = [];
  const behind: Upstream[] = [];
  let reason: UpstreamFault | undefined;
  let soonestMs = Number.POSITIVE_INFINITY;
  for (const upstream of upstreams) {
    if (upstream.standing !== 'verified' || upstream.isOnFork || except?.has(upstream) === true) continue;
    if (call.needsVote === true && upstream.vote !== 'votes') continue;
    if (upstream.lacks(call.method) && call.batch === undefined) {
      reason ??= new UpstreamFault('unsupported', `${call.method} is not available`);
    } else if (upstream.health.isPaused) {
      soonestMs = Math.min(soonestMs, upstream.health.pauseLeftMs);
    } else if (call.block === undefined || upstream.tracker.holds(call.block.number, call.block.hash)) {
      candidates.push(upstream);
    } else {
      reason = explainMissing(call.block.number, upstreams);
      if (!upstream.isBehind && isBehind(upstream, call)) behind.push(upstream);
    }
  }
  if (candidates.length + behind.length > 0) {
    return [...candidates.sort(compareUpstreams), ...behind.sort(compareUpstreams)];
  }
  if (soonestMs < Number.POSITIVE_INFINITY) {
    return new UpstreamFault('rateLimited', 'every node is rate limited', soonestMs);
  }
  return reason ?? new UpstreamFault('unreachable', explainOutage(upstreams));
}

/**
 * An address with several nodes behind it may report an older head than it answers at. It is asked after all others, and
 * only where it cannot answer for another block: it is asked by hash, or its answer is compared with the block.
 */
function isBehind(
  { tracker, knowsHashParameters }: Upstream,
  { block, isBound, paramsByHash }: RoutedCall,
): boolean {
  if (block === undefined || tracker.latest === undefined || tracker.latest.number >= block.number)
    return false;
  return isBound === true || (paramsByHash !== undefined && knowsHashParameters);
}

function compareUpstreams(a: Upstream, b: Upstream): number {
  return rankTrust(a) - rankTrust(b) || a.tier - b.tier || a.health.score - b.health.score;
}

/**
 * After a rest, one call at a time finds out whether a node is well again. Nodes without a vote in the head for being
 * behind come after those that are well, for older blocks too: they may lack state.
 */
function rankTrust({ health, isAway, isBehind }: Upstream): number {
  if (isAway || health.circuit === 'open') return 3;
  if (isBehind) return 2;
  return health.circuit === 'halfOpen' && health.inFlight > 0 ? 1 : 0;
}

/** The one that was asked before, as long as it is among the candidates and well. */
function keepFavourite(
  favourite: Upstream | undefined,
  candidates: readonly Upstream[],
): Upstream | undefined {
  const isWell =
    favourite !== undefined &&
    candidates.includes(favourite) &&
    favourite.health.circuit === 'closed' &&
    !favourite.isAway;
  return isWell ? favourite : candidates[0];
}

function moveToFront(candidates: Upstream[], favourite: Upstream | undefined): void {
  const at = favourite === undefined ? -1 : candidates.indexOf(favourite);
  if (at > 0) candidates.unshift(...candidates.splice(at, 1));
}
