import type { JsonResult } from '../../../packages/ethereum/primitives/json-result.ts';
import type { TokenBucket } from '../../util/token-bucket.ts';
import { type FaultKind, UpstreamFault } from '../fault.ts';
import { createPolicy, type Policy } from '../policy-stack.ts';
import type { Handler, RequestContext } from '../upstream-request.ts';

const FIRST_PAUSE_MS = 50;
const MAX_PAUSE_MS = 2_000;
/** Tokens earned per answer. A retry round costs one token, so there is at most one round per ten answers. */
const EARNED = 0.1;

/** Faults that may be temporary, so that a retry may succeed. */
const PASSING: ReadonlySet<FaultKind> = new Set<FaultKind>([
  'unreachable',
  'malformed',
  'httpStatus',
  'rateLimited',
  'missing',
  'wrong',
]);

/**
 * Starts another round over all upstreams when every upstream has failed. The pause before a round grows, and is at least the time that the nodes
 * requested. `budget` prevents an outage from multiplying the load: rounds cost tokens, and only answers earn tokens.
 * @param rounds maximum number of rounds after the first one
 * @param isFinal whether a block height is final; missing data of a final block is not retried
 */
export function retry(
  rounds: number,
  budget: TokenBucket,
  isFinal: (height: bigint) => boolean = () => false,
): Policy {
  /** Takes a token for the next round. Returns the pause before the round, ms, or undefined if there is no other round. */
  const beginRound = (
    { call, except, scope }: RequestContext,
    error: unknown,
    round: number,
  ): number | undefined => {
    // A call that excludes upstreams repeats a request only to compare answers. A request that only compares answers is optional, so it is not
    // retried.
    const isOptional = call.isOptional === true || (except !== undefined && except.size > 0);
    if (round >= rounds || isOptional || !isPassing(error)) return undefined;
    // Does not retry: a node that lacks data of a final block does not get this data later.
    if (error.kind === 'missing' && call.block !== undefined && isFinal(call.block.number)) return undefined;
    const pause = Math.max(choosePause(round), error.retryAfterMs ?? 0);
    return performance.now() + pause < scope.deadline && budget.tryTake() ? pause : undefined;
  };
  const sendAgain = async (
    context: RequestContext,
    firstPause: number,
    next: Handler,
  ): Promise<JsonResult> => {
    let pause = firstPause;
    for (let round = 1; ; round++) {
      await pauseFor(pause, context);
      try {
        const result = await next(context);
        budget.earn(EARNED);
        return result;
      } catch (error) {
        if (!(error instanceof UpstreamFault)) budget.earn(EARNED);
        const nextPause = beginRound(context, error, round);
        if (nextPause === undefined) throw error;
        pause = nextPause;
      }
    }
  };
  return createPolicy({
    onResult(_, result) {
      budget.earn(EARNED);
      return result;
    },
    recover(context, error, next) {
      if (!(error instanceof UpstreamFault)) budget.earn(EARNED);
      const pause = beginRound(context, error, 0);
      return pause === undefined ? undefined : sendAgain(context, pause, next);
    },
  });
}

function isPassing(error: unknown): error is UpstreamFault {
  return error instanceof UpstreamFault && PASSING.has(error.kind);
}

/**
 * Returns a random pause between half and all of a time that doubles per round, ms. The randomness spreads the retries of calls that failed at the
 * same time.
 */
function choosePause(round: number): number {
  return Math.min(FIRST_PAUSE_MS * 2 ** round, MAX_PAUSE_MS) * (0.5 + Math.random() / 2);
}

function pauseFor(ms: number, { scope: { signal } }: RequestContext): Promise<void> {
  return new Promise((resolve, reject) => {
    const leave = (): void => {
      clearTimeout(timer);
      reject(new UpstreamFault('aborted', 'the caller has cancelled the request'));
    };
    const timer = setTimeout(() => {
      signal.removeEventListener('abort', leave);
      resolve();
    }, ms);
    if (signal.aborted) leave();
    else signal.addEventListener('abort', leave);
  });
}
