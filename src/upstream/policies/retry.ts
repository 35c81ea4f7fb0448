import type { JsonResult } from '../../primitives/json-result.ts';
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
export function retry(
  rounds: number,
  budget: TokenBucket,
  isFinal: (height: bigint) => boolean = () => false,
): Policy {
  return (next) => {
    const ask = (exchange: Exchange, round: number): Promise<JsonResult> =>
      next(exchange).then(
        (result) => {
          budget.earn(EARNED);
          return result;
        },
        async (error: unknown) => {
          if (!(error instanceof UpstreamFault)) budget.earn(EARNED);
          // Who asks somebody else than before does without, when there is nobody else.
          const isSecondOpinion = exchange.except !== undefined && exchange.except.size > 0;
          if (round >= rounds || isSecondOpinion || !isPassing(error)) throw error;
          // What the nodes lack of an old block they will not have in a moment either.
          const { block } = exchange.call;
          if (error.kind === 'missing' && block !== undefined && isFinal(block.number)) throw error;
          const pause = Math.max(choosePause(round), error.retryAfterMs ?? 0);
          if (performance.now() + pause >= exchange.scope.deadline || !budget.tryTake()) throw error;
          await pauseFor(pause, exchange);
          return ask(exchange, round + 1);
        },
      );
    return (exchange) => ask(exchange, 0);
  };
}

function isPassing(error: unknown): error is UpstreamFault {
  return error instanceof UpstreamFault && PASSING.has(error.kind);
}

/** Between half and all of a doubling time, so that callers who failed together do not come back together. */
function choosePause(round: number): number {
  return Math.min(FIRST_PAUSE_MS * 2 ** round, MAX_PAUSE_MS) * (0.5 + Math.random() / 2);
}

function pauseFor(ms: number, { scope: { signal } }: Exchange): Promise<void> {
  return new Promise((resolve, reject) => {
    const leave = (): void => {
      clearTimeout(timer);
      reject(new UpstreamFault('aborted', 'the caller has gone'));
    };
    const timer = setTimeout(() => {
      signal.removeEventListener('abort', leave);
      resolve();
    }, ms);
    if (signal.aborted) leave();
    else signal.addEventListener('abort', leave);
  });
}
