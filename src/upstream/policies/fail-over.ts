import { UpstreamFault } from '../fault.ts';
import type { Policy } from '../routed-call.ts';

/** Errors that nobody understands are most likely the request's: one other upstream is asked, no more. */
const MAX_UNKNOWN = 2;

/**
 * Asks one upstream after the other until one answers; each is asked once. Rejects with the fault that says most to
 * the caller, and with the time after which the first of them may be well again.
 */
export function failOver(): Policy {
  return (next) => async (exchange) => {
    let worst: UpstreamFault | undefined;
    let soonestMs = Number.POSITIVE_INFINITY;
    let unknown = 0;
    do {
      try {
        return await next(exchange);
      } catch (error) {
        if (!(error instanceof UpstreamFault) || error.kind === 'aborted') throw error;
        worst = worst === undefined || weigh(error) > weigh(worst) ? error : worst;
        soonestMs = Math.min(soonestMs, error.retryAfterMs ?? 0);
        if (error.kind === 'unknown' && ++unknown === MAX_UNKNOWN) throw error;
      }
    } while (exchange.route?.isExhausted === false && performance.now() < exchange.scope.deadline);
    throw worst.retryAfterMs === undefined ? worst : new UpstreamFault(worst.kind, worst.message, soonestMs);
  };
}

/** A node's own words about the request say more than that a node could not be reached. */
function weigh({ kind }: UpstreamFault): number {
  switch (kind) {
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
