import type { JsonResult } from '../../../packages/ethereum/primitives/json-result.ts';
import { Refutation, UpstreamFault } from '../fault.ts';
import { createPolicy, type Policy } from '../policy-stack.ts';
import type { Handler, RoutedRequest } from '../upstream-request.ts';

/** Number of unknown errors after which no other upstream is tried, because most likely the request causes them. */
const MAX_UNKNOWN = 2;

/**
 * Tries one upstream after the other until one answers, and the reserve of the route last. No upstream is tried twice. Rejects with the fault that is
 * most informative for the caller. If the fault has `retryAfterMs`, it gets the minimum `retryAfterMs` of all faults of the request. A fault without
 * `retryAfterMs` counts as 0.
 */
export function failOver(): Policy<RoutedRequest> {
  return createPolicy<RoutedRequest>({
    recover: (context, error, next) =>
      isFault(error) && mayFailOver(context) ? sendToOthers(context, error, next) : undefined,
  });
}

async function sendToOthers(
  context: RoutedRequest,
  first: UpstreamFault,
  next: Handler<RoutedRequest>,
): Promise<JsonResult> {
  const faults = [first];
  for (;;) {
    try {
      return await next(context);
    } catch (error) {
      if (!isFault(error)) throw error;
      faults.push(error);
      if (faults.filter(({ kind }) => kind === 'unknown').length >= MAX_UNKNOWN) throw error;
      if (!mayFailOver(context)) throw summarize(faults);
    }
  }
}

function isFault(error: unknown): error is UpstreamFault {
  return error instanceof UpstreamFault && error.kind !== 'aborted';
}

function mayFailOver({ route, scope }: RoutedRequest): boolean {
  return route.leftInAll > 0 && performance.now() < scope.deadline;
}

function summarize(faults: readonly UpstreamFault[]): UpstreamFault {
  const worst = faults.reduce((a, b) => (weigh(b) > weigh(a) ? b : a));
  if (worst.retryAfterMs === undefined) return worst;
  const soonestMs = Math.min(...faults.map(({ retryAfterMs }) => retryAfterMs ?? 0));
  return new UpstreamFault(worst.kind, worst.message, soonestMs);
}

/** Ranks faults by information: a node's message about the request ranks higher than the fault that a node could not be reached. */
function weigh(fault: UpstreamFault): number {
  // A refutation ranks highest, because it shows that an answer exists. That an answer exists is more informative than another node's message about
  // the request.
  if (fault instanceof Refutation) return 6;
  switch (fault.kind) {
    case 'tooMuch':
      return 5;
    case 'unknown':
      return 4;
    case 'pruned':
    case 'missing':
      return 3;
    case 'rateLimited':
      return 2;
    case 'unsupported':
      return 0;
    default:
      return 1;
  }
}
