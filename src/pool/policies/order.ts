import type { JsonResult } from '../../../packages/ethereum/primitives/json-result.ts';
import { BOUNDS } from '../../util/bounds.ts';
import { UpstreamFault } from '../fault.ts';
import { findFirst, type GroupHandler, leaveGroup, type RequestGroup } from '../group.ts';
import { explainOutage } from '../node-state.ts';
import { createPolicy, type Policy } from '../policy-stack.ts';
import { NO_RESERVE, Route } from '../route.ts';
import type { Upstream } from '../upstream.ts';
import {
  type BlockPosition,
  type Handler,
  type RequestContext,
  type RoutedRequest,
  setRoute,
  type UpstreamRequest,
  withScope,
} from '../upstream-request.ts';
import { isAsGood, isDearer, isResponsive, mayAnswer, sortNodes } from './rank-nodes.ts';

/** Number of items of one batch that are sent to the same node before another node may be chosen. */
const BATCH_ITEMS = 100;

/** Time limit of a request that tests whether a node answers again while none of the nodes answers polls, ms. */
const TEST_MS = 2_000;

/** Node that gets the items of one client batch, and the number of items that it may still get. */
type BatchChoice = { readonly upstream: Upstream; left: number };

/**
 * Chooses and orders the upstreams of a request. Only upstreams that have the block and the method are chosen. `sortNodes` defines the order.
 * Upstreams with an open circuit are tried last but not excluded: if all upstreams are down, only a request can show which of them works again.
 * If no upstream answers polls either, one request at a time may test each of them, for `TEST_MS`; all other requests fail at once.
 * Upstreams whose budget is used up are the reserve of the route. Items of one client batch go to the same node, because they can share a request to
 * it. Another node is chosen if it has a better tier or rank, if it serves well at a lower price, or after `BATCH_ITEMS` items.
 */
export function order(upstreams: readonly Upstream[]): Policy<RequestContext, RoutedRequest> {
  const decide = createRouting(upstreams);
  const explain = ({ call: { block }, route }: RoutedRequest, error: unknown): unknown => {
    if (isUnheard(error) && upstreams.every(({ isAway }) => isAway)) return describeOutage(upstreams);
    return block === undefined || route.isAvailable || !isMissing(error)
      ? error
      : explainMissing(block.number, upstreams);
  };
  const send = async (routed: RoutedRequest, next: Handler<RoutedRequest>): Promise<JsonResult> => {
    try {
      return await next(routed);
    } catch (error) {
      throw explain(routed, error);
    }
  };
  const sendAfter = async (
    checks: readonly Promise<void>[],
    context: RequestContext,
    next: Handler<RoutedRequest>,
  ): Promise<JsonResult> => {
    await waitForOne(checks, context.scope.deadline);
    const routed = decide(context);
    if (routed instanceof UpstreamFault) throw routed;
    return send(routed, next);
  };
  return createPolicy<RequestContext, RoutedRequest>(
    {
      begin(context, next) {
        const routed = decide(context);
        // The steps of a policy return the same context, so a request with a scope of its own is sent here.
        if (!(routed instanceof UpstreamFault))
          return routed.scope === context.scope ? routed : send(routed, next);
        // A node that is being identified may be able to answer.
        const checks = upstreams.flatMap(({ checking }) => checking ?? []);
        if (checks.length === 0) throw routed;
        return sendAfter(checks, context, next);
      },
      onError: explain,
    },
    decideForAll(decide),
  );
}

/** Minimum number of requests in a group; fewer requests are sent alone. */
const MIN_GROUP = 2;

/** Chooses one route for a group, by its first request. */
function decideForAll(decide: DecideRoute): (next: GroupHandler<RoutedRequest>) => GroupHandler {
  return (next) => (group, receive) => {
    const first = findFirst(group);
    const isSmall = group.filter((context) => context !== undefined).length < MIN_GROUP;
    const routed = first === undefined || isSmall || first.scope.aborted ? undefined : decide(first);
    // While no node answers polls, the scope of a routed request is its own.
    if (routed === undefined || routed instanceof UpstreamFault || routed.scope !== first?.scope) {
      leaveGroup(group, receive);
      return;
    }
    for (const context of group) if (context !== undefined) setRoute(context, routed.route);
    next(group as RequestGroup<RoutedRequest>, receive);
  };
}

/** Adds a route to a request context, or returns a fault if no upstream can be used. */
type DecideRoute = (context: RequestContext) => RoutedRequest | UpstreamFault;

/** Creates the function that chooses the route of a request for `order`. */
function createRouting(upstreams: readonly Upstream[]): DecideRoute {
  let favourite: Upstream | undefined;
  const choices = new WeakMap<object, BatchChoice>();
  const hasPrices = upstreams.some(({ spend }) => spend !== undefined);
  return (context) => {
    const { call, scope, prefer } = context;
    const found = findCandidates(upstreams, context, hasPrices);
    if (found instanceof UpstreamFault) return found;
    const { reserve } = found;
    const isTest = isOutage(found);
    // A node that another request tests now gets no further one.
    const candidates = isTest ? found.candidates.filter(isIdle) : found.candidates;
    if (isTest && candidates.length === 0) return describeOutage(upstreams);
    if (call.isSticky === true) {
      favourite = keepFavourite(favourite, candidates, call.method);
      moveToFront(candidates, favourite);
    } else if (scope.batch !== undefined && candidates.length > 1) {
      keepGrouped(candidates, scope.batch, call.method, choices);
    }
    if (prefer !== undefined) preferAll(candidates, prefer, call.method);
    const absent = countAbsent(upstreams, candidates, context);
    const hasBlock = isAvailable(call.block, candidates) || isAvailable(call.block, reserve);
    const routed = isTest ? limitTest(context) : context;
    return setRoute(routed, new Route(candidates, absent, hasBlock, reserve));
  };
}

/** Whether no node of the network that could get the request answers polls. */
function isOutage({ candidates, reserve }: Found): boolean {
  // Nodes that answer polls come before the others.
  return candidates[0]?.isAway === true && reserve.length === 0 && candidates.every(({ isAway }) => isAway);
}

function isIdle({ health }: Upstream): boolean {
  return health.inFlight === 0;
}

/** Returns a copy of the request context with the deadline of a test. */
function limitTest(context: RequestContext): RequestContext {
  const deadline = Math.min(context.scope.deadline, performance.now() + TEST_MS);
  return withScope(context, context.scope.derive({ deadline }));
}

function describeOutage(upstreams: readonly Upstream[]): UpstreamFault {
  return new UpstreamFault('unreachable', explainOutage(upstreams));
}

function isUnheard(error: unknown): boolean {
  return error instanceof UpstreamFault && (error.kind === 'timeout' || error.kind === 'unreachable');
}

/** Whether a candidate is known to have the block. */
function isAvailable(block: BlockPosition | undefined, candidates: readonly Upstream[]): boolean {
  if (block === undefined) return true;
  for (const { tracker } of candidates) if (tracker.holds(block.number, block.hash)) return true;
  return false;
}

/** Whether a node reported the block as missing, as a node that is behind does. */
function isMissing(error: unknown): boolean {
  return error instanceof UpstreamFault && error.kind === 'missing';
}

function explainMissing(block: bigint, upstreams: readonly Upstream[]): UpstreamFault {
  return new UpstreamFault('unreachable', `no node has block ${block} now: ${explainOutage(upstreams)}`);
}

/** For a `certain` null: counts the upstreams that are not candidates but may belong to the network. */
function countAbsent(
  upstreams: readonly Upstream[],
  candidates: readonly Upstream[],
  { call, except }: RequestContext,
): number {
  if (call.nulls !== 'certain') return 0;
  const absent = upstreams.filter(
    (upstream) =>
      (upstream.standing === 'unverified' || upstream.standing === 'verified') &&
      except?.has(upstream) !== true &&
      !upstream.isOutOfUse &&
      !candidates.includes(upstream),
  );
  return absent.length;
}

/** Waits until the first of `works` is done or the deadline passes. */
function waitForOne(works: readonly Promise<void>[], deadline: number): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(resolve, Math.max(0, deadline - performance.now()));
    void Promise.race(works).then(() => {
      clearTimeout(timer);
      resolve();
    });
  });
}

/** Nodes for a request, best first. `reserve`: nodes that are used only if no candidate answers, because their budget is used up. */
type Found = { readonly candidates: Upstream[]; readonly reserve: readonly Upstream[] };

function findCandidates(
  upstreams: readonly Upstream[],
  { call, except }: RequestContext,
  hasPrices: boolean,
): Found | UpstreamFault {
  const candidates: Upstream[] = [];
  const behind: Upstream[] = [];
  let usedUp: Upstream[] | undefined;
  let stale: Upstream[] | undefined;
  let reason: UpstreamFault | undefined;
  let soonest: Upstream | undefined;
  for (const upstream of upstreams) {
    // For a `certain` null, nodes on a fork are candidates too: the block may have left the chain, and such a node may still have it.
    const isOther = upstream.isOnFork && call.nulls !== 'certain';
    if (upstream.standing !== 'verified' || isOther || except?.has(upstream) === true) continue;
    if (upstream.isOutOfUse) continue;
    if (call.needsVote === true && upstream.vote !== 'votes') continue;
    if (upstream.lacks(call.method) && call.batch === undefined) {
      reason ??= new UpstreamFault('unsupported', `${call.method} is not available`);
    } else if (upstream.health.isPaused) {
      if (soonest === undefined || upstream.health.pauseLeftMs < soonest.health.pauseLeftMs)
        soonest = upstream;
    } else if (call.block === undefined || upstream.tracker.holds(call.block.number, call.block.hash)) {
      if (!upstream.isReserve) candidates.push(upstream);
      else if (usedUp === undefined) usedUp = [upstream];
      else usedUp.push(upstream);
    } else {
      reason = explainMissing(call.block.number, upstreams);
      if (upstream.isReserve) {
        if (stale === undefined) stale = [upstream];
        else stale.push(upstream);
      } else if (!upstream.isBehind && isBehind(upstream, call)) behind.push(upstream);
    }
  }
  sortNodes(candidates, call.method, hasPrices);
  sortNodes(behind, call.method, hasPrices);
  if (behind.length > 0) candidates.push(...behind);
  if (stale !== undefined && !candidates.some((node) => mayAnswer(node, call.method)))
    // The head of a reserve is polled rarely. The next call finds its present head.
    for (const upstream of stale) void upstream.tracker.refresh();
  if (usedUp !== undefined) {
    sortNodes(usedUp, call.method, hasPrices);
    // If no other node is expected to answer, the reserve is not kept back.
    if (!candidates.some((node) => mayAnswer(node, call.method)))
      return { candidates: [...usedUp, ...candidates], reserve: NO_RESERVE };
    if (call.nulls !== 'certain') return { candidates, reserve: usedUp };
    // A `certain` null needs the word of every node.
    candidates.push(...usedUp);
  }
  if (candidates.length > 0) return { candidates, reserve: NO_RESERVE };
  if (soonest !== undefined) {
    const { pausedBy, pauseLeftMs } = soonest.health;
    return new UpstreamFault('rateLimited', BOUNDS[pausedBy].says, pauseLeftMs, pausedBy);
  }
  return reason ?? describeOutage(upstreams);
}

/**
 * Whether a node whose head is below the block may still be tried, because a load-balanced URL may lead to a node that has the block. The request
 * must name the block by hash, or its answer must be compared with the block. If neither were so, an answer about another block could be accepted. A
 * node whose head is below the block is tried last.
 */
function isBehind(
  { tracker, knowsHashParameters }: Upstream,
  { block, isBound, paramsByHash }: UpstreamRequest,
): boolean {
  if (block === undefined || tracker.latest === undefined || tracker.latest.number >= block.number)
    return false;
  return isBound === true || (paramsByHash !== undefined && knowsHashParameters);
}

/** Returns the previously chosen node while it is a healthy candidate, otherwise the best candidate. */
function keepFavourite(
  favourite: Upstream | undefined,
  candidates: readonly Upstream[],
  method: string,
): Upstream | undefined {
  const isWell =
    favourite !== undefined &&
    candidates.includes(favourite) &&
    favourite.health.circuit === 'closed' &&
    isResponsive(favourite, method) &&
    !favourite.isAway &&
    !isDearer(favourite, candidates[0] as Upstream, method, candidates) &&
    // A node that is behind is not used: its pending block would miss transactions and blocks that other nodes already have.
    (!favourite.isBehind || candidates[0]?.isBehind === true);
  return isWell ? favourite : candidates[0];
}

/** Puts the node that got earlier items of the batch first, if it is as good as the best node apart from its score. */
function keepGrouped(
  candidates: Upstream[],
  batch: object,
  method: string,
  choices: WeakMap<object, BatchChoice>,
): void {
  const choice = choices.get(batch);
  const best = candidates[0] as Upstream;
  if (choice === undefined || choice.left === 0 || !isAsGood(choice.upstream, best, method, candidates)) {
    choices.set(batch, { upstream: best, left: BATCH_ITEMS - 1 });
    return;
  }
  choice.left--;
  moveToFront(candidates, choice.upstream);
}

function moveToFront(candidates: Upstream[], favourite: Upstream | undefined): void {
  const at = favourite === undefined ? -1 : candidates.indexOf(favourite);
  if (at > 0) candidates.unshift(...candidates.splice(at, 1));
}

/** Moves preferred nodes to the front, except for nodes that do not answer; otherwise the order is unchanged. */
function preferAll(candidates: Upstream[], preferred: ReadonlySet<Upstream>, method: string): void {
  const isFirst = (upstream: Upstream): boolean => preferred.has(upstream) && mayAnswer(upstream, method);
  candidates.sort((a, b) => Number(isFirst(b)) - Number(isFirst(a)));
}
