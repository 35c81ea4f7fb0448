import { setTimeout as wait } from 'node:timers/promises';
import type { TokenBucket } from '../../util/token-bucket.ts';
import { type FaultKind, UpstreamFault } from '../fault.ts';
import type { Exchange, Policy } from '../routed-call.ts';

const FIRST_PAUSE_MS = 50;
const MAX_PAUSE_MS = 2_000;
/** What an answer earns: further rounds are at most a tenth of the load. */
const EARNED = 0.1;

/** What may be over in a moment. */
const PASSING: ReadonlySet<FaultKind> = new Set<FaultKind>([
  'unreachable',
  'malformed',
  'httpStatus',
  'rateLimited',
  'missing',
  'wrong',
]);

/**
 * Another round over the upstreams when every one of them has failed, after a pause that grows, or as long as they
 * asked for. `budget` keeps an outage from multiplying the load: rounds cost tokens that only answers earn.
 */
export function retry(rounds: number, budget: TokenBucket): Policy {
  return (next) => async (exchange) => {
    for (let round = 0; ; round++) {
      try {
        const result = await next(exchange);
        budget.earn(EARNED);
        return result;
      } catch (error) {
        if (!(error instanceof UpstreamFault)) budget.earn(EARNED);
        if (round >= rounds || !isPassing(error)) throw error;
        const pause = Math.max(choosePause(round), error.retryAfterMs ?? 0);
        if (performance.now() + pause >= exchange.scope.deadline || !budget.tryTake()) throw error;
        await pauseFor(pause, exchange);
      }
    }
  };
}

function isPassing(error: unknown): error is UpstreamFault {
  return error instanceof UpstreamFault && PASSING.has(error.kind);
}

/** Between half and all of a doubling time, so that callers who failed together do not come back together. */
function choosePause(round: number): number {
  return Math.min(FIRST_PAUSE_MS * 2 ** round, MAX_PAUSE_MS) * (0.5 + Math.random() / 2);
}

async function pauseFor(ms: number, { scope }: Exchange): Promise<void> {
  try {
    await wait(ms, undefined, { signal: scope.signal });
  } catch {
    throw new UpstreamFault('aborted', 'the caller has gone');
  }
}
