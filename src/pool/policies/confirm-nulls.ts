import type { JsonResult } from '../../../packages/ethereum/primitives/json-result.ts';
import { ChainError } from '../../chain/errors.ts';
import type { RequestScope } from '../../util/request-scope.ts';
import { LoneNull, UpstreamFault } from '../fault.ts';
import { createPolicy, type Policy } from '../policy-stack.ts';
import type { Upstream } from '../upstream.ts';
import { type Directed, type Handler, type RoutedRequest, withScope } from '../upstream-request.ts';

/**
 * Accepts a null if it needs no confirmation, or if a second upstream also reports null. `call.nulls` says how a null is treated. If no second
 * upstream is available, a null with `claim` is accepted, and a null with `doubt` is not. If the answering nodes are behind, their null is accepted
 * in neither case, because these nodes may not have the object yet. With `search`, all upstreams are tried before a null is accepted; with the option
 * `voices`, at least `needed` operators must report null. For `certain`, all upstreams must report null, even those that are unavailable now.
 * @throws LoneNull if no other node can confirm the null
 * @throws UpstreamFault `unreachable` if a node is unavailable for a `certain` null
 * @throws ChainError `unavailable` if too few operators report the null
 */
export function confirmNulls(voices?: { readonly needed: number }): Policy<RoutedRequest> {
  return createPolicy<RoutedRequest>({
    begin(context, next) {
      const { nulls } = context.call;
      if (nulls === 'certain') return requestAll(next, context);
      return nulls === 'search' && voices !== undefined ? countVoices(next, context, voices.needed) : context;
    },
    onResult(context, result, next) {
      const { nulls } = context.call;
      if (result !== 'null' || nulls === 'truth' || nulls === 'fault') return result;
      return confirm(context, next);
    },
  });
}

async function confirm(context: RoutedRequest, next: Handler<RoutedRequest>): Promise<JsonResult> {
  const { nulls } = context.call;
  const isAccepted = !isBehind(context);
  // If a null needs confirmation and no candidate can confirm it, the reserve may.
  const mayUseReserve = nulls === 'doubt' || !isAccepted;
  for (;;) {
    const other = await requestFromAnother(next, context, mayUseReserve);
    if (other === undefined) break;
    if (other !== 'null') return other;
    if (nulls !== 'search' && (isAccepted || !isBehind(context))) return other;
  }
  if (nulls === 'search') return 'null';
  if (!isAccepted) throw new LoneNull('the available nodes are behind and lack the data');
  if (nulls === 'claim') return 'null';
  throw new LoneNull('the only available node lacks data that it should have');
}

/** Adds upstreams that report the object as absent to `lacking`, if the request context has this set. */
export function noteLacking(): Policy<Directed> {
  return createPolicy({
    onResult({ lacking, upstream }, result) {
      if (result === 'null') lacking?.add(upstream);
      return result;
    },
    onError({ lacking, upstream }, error) {
      if (isMissing(error)) lacking?.add(upstream);
      return error;
    },
  });
}

/**
 * Tries one upstream after the other until one of them has the object. Returns null only if at least `needed` operators report the object as absent.
 */
async function countVoices(
  next: Handler<RoutedRequest>,
  context: RoutedRequest,
  needed: number,
): Promise<JsonResult> {
  const lacking = new Set<Upstream>();
  const requested = { ...context, lacking };
  const countOperators = (): number => new Set([...lacking].map(({ operator }) => operator)).size;
  let result = await next(requested);
  const hasOther = (): boolean =>
    !context.route.isExhausted || (context.route.leftInAll > 0 && countOperators() < needed);
  while (result === 'null' && hasOther())
    result = (await requestFromAnother(next, requested, true)) ?? 'null';
  if (result !== 'null' || countOperators() >= needed) return result;
  const why = `${countOperators()} operators report that there is none, agreement demands ${needed}`;
  throw new ChainError('unavailable', `the answer has too few voices: ${why}`);
}

/**
 * Tries one upstream after the other until one of them has the object. Returns null only if all upstreams of the route report the object as absent.
 */
async function requestAll(next: Handler<RoutedRequest>, context: RoutedRequest): Promise<JsonResult> {
  const lacking = new Set<Upstream>();
  const requested = { ...context, lacking };
  const isCertain = (): boolean => lacking.size >= context.route.total;
  try {
    let result = await next(requested);
    while (result === 'null' && !context.route.isExhausted)
      result = (await requestFromAnother(next, requested)) ?? 'null';
    if (result !== 'null' || isCertain()) return result;
  } catch (error) {
    if (!isMissing(error) || isCertain()) throw error;
  }
  throw new UpstreamFault(
    'unreachable',
    'a node that may have the block is not available now: try again later',
  );
}

function isMissing(error: unknown): boolean {
  return error instanceof UpstreamFault && error.kind === 'missing';
}

/** Whether the node that sent the last answer is behind. */
function isBehind({ witness }: RoutedRequest): boolean {
  return witness?.upstream?.isBehind === true;
}

/**
 * Derives a scope with half of the remaining time. If the second node does not answer, half of the time is left to return the first node's answer.
 */
function halveTime(scope: RequestScope): RequestScope {
  return scope.derive({ deadline: (scope.deadline + performance.now()) / 2 });
}

/** Sends the request to the next upstream of the route and returns the answer. Returns undefined if no upstream can answer. */
async function requestFromAnother(
  next: Handler<RoutedRequest>,
  context: RoutedRequest,
  mayUseReserve = false,
): Promise<JsonResult | undefined> {
  const { left, leftInAll } = context.route;
  if ((mayUseReserve ? leftInAll : left) === 0) return undefined;
  try {
    return await next(withScope(context, halveTime(context.scope)));
  } catch (error) {
    if (error instanceof UpstreamFault && error.kind !== 'aborted') return undefined;
    throw error;
  }
}
