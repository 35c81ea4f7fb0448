import type { JsonResult } from '../../../packages/ethereum/primitives/json-result.ts';
import { type Expiring, ExpirySweep } from '../../util/expiry-sweep.ts';
import type { LatencyWindow } from '../../util/latency-window.ts';
import type { RequestScope } from '../../util/request-scope.ts';
import type { TokenBucket } from '../../util/token-bucket.ts';
import { UpstreamFault } from '../fault.ts';
import { createPolicy, type Policy } from '../policy-stack.ts';
import type { PolicySteps } from '../policy-steps.ts';
import type { Upstream } from '../upstream.ts';
import {
  type Directed,
  type Handler,
  type RoutedRequest,
  setUpstream,
  withScope,
} from '../upstream-request.ts';
import { hedgeGroups } from './hedge-group.ts';
import { OVERTAKEN } from './overtaken.ts';

/** Quantile of a method's latencies above which a call counts as slow. */
const SLOW_SHARE = 0.95;
/** Minimum number of recorded calls of a method before its calls can count as slow. */
const MIN_SAMPLES = 20;
const MIN_DELAY_MS = 5;
/** Granularity of the timer, ms; the call is sent to the next upstream at most this much later than due. */
const SWEEP_MS = 2;

export type HedgeParts = {
  /** Maximum fraction of all calls that may be hedged, from 0 to 1; 0 disables hedging. */
  readonly share: number;
  readonly budget: TokenBucket;
  /** Returns the latency window of a method. Calls in batches have a separate window, because they wait for other calls of the same request. */
  readonly latenciesOf: (method: string, isOfBatch: boolean) => LatencyWindow;
};

/**
 * Sends the call to the next upstream of the route. If an answer takes longer than 95% of the calls of the method, the call is also sent to a second
 * upstream, if `budget` allows it. Each upstream gets an equal share of the caller's remaining time. When the share has passed, the call is sent to
 * the next upstream even if `budget` does not allow it, and after all others to the reserve of the route. The first answer is used, and the other
 * calls are cancelled. An upstream whose call was cancelled may be tried again if the used answer is not sufficient: a null that must be confirmed,
 * or a stream that fails.
 * @throws UpstreamFault `unreachable` if the route is empty, `aborted` if the caller has disconnected
 */
export function hedge({ share, budget, latenciesOf }: HedgeParts): Policy<RoutedRequest, Directed> {
  const findLatencies = ({ call, scope }: RoutedRequest): LatencyWindow =>
    latenciesOf(call.method, scope.batch !== undefined);
  const note = (context: RoutedRequest, startedAt: number): void => {
    findLatencies(context).record(performance.now() - startedAt);
  };
  const steps: PolicySteps<RoutedRequest, Directed> = {
    begin(context, next) {
      const { route } = context;
      const first = route.takeAny();
      if (first === undefined) throw new UpstreamFault('unreachable', 'no node is reachable');
      budget.earn(share);
      if (route.leftInAll === 0) {
        noteConfirmed(context, first);
        return setUpstream(context, first);
      }
      const startedAt = performance.now();
      const delays = chooseDelays(context, share > 0 ? findLatencies(context) : undefined, startedAt);
      return new Promise((resolve, reject) => {
        const onResult = (result: JsonResult): void => {
          note(context, startedAt);
          resolve(result);
        };
        new Race({ context, next, delays, budget, onResult, onError: reject }).begin(first, startedAt);
      });
    },
    onResult(context, result) {
      note(context, context.requestedAt);
      return result;
    },
  };
  return createPolicy(steps, hedgeGroups);
}

/** Records the upstream whose answer is used. */
function noteConfirmed({ witness }: RoutedRequest, upstream: Upstream): void {
  if (witness !== undefined) witness.upstream = upstream;
}

type Delays = {
  /** Time after which the call is sent to a second upstream if the budget allows it, ms. */
  readonly slowMs: number;
  /** Delay until the call is sent to the next upstream without regard to the budget, ms. */
  readonly silentMs: number;
};

function chooseDelays(
  { call, scope, route }: RoutedRequest,
  latencies: LatencyWindow | undefined,
  now: number,
): Delays {
  // Pending blocks differ between nodes, so a sticky call is sent to another node only if the first node does not answer.
  const isKnown = latencies !== undefined && latencies.count >= MIN_SAMPLES && call.isSticky !== true;
  const slowMs = isKnown ? latencies.percentile(SLOW_SHARE) : undefined;
  return {
    slowMs: slowMs === undefined ? Number.POSITIVE_INFINITY : Math.max(MIN_DELAY_MS, slowMs),
    silentMs: (scope.deadline - now) / (route.leftInAll + 2),
  };
}

type RaceParts = {
  readonly context: RoutedRequest;
  readonly next: Handler<Directed>;
  readonly delays: Delays;
  readonly budget: TokenBucket;
  readonly onResult: (result: JsonResult) => void;
  readonly onError: (error: unknown) => void;
};

/** An upstream with a call in flight, and the scope that cancels it. */
type Runner = { readonly upstream: Upstream; readonly scope: RequestScope };

const NONE: readonly Runner[] = [];

/** All races share one timer, because nearly all races end before the call must be sent to another upstream. */
const RACES = new ExpirySweep<Race>(SWEEP_MS);

/** Races the same request on several upstreams. `expire` runs when the call must be sent to one more upstream. */
class Race implements Expiring {
  expiresAt: number;
  sweepIndex = -1;
  readonly #parts: RaceParts;
  /** Upstreams that have not answered yet. */
  #running: readonly Runner[] = NONE;
  #isOver = false;
  /** Whether the next upstream gets the call only if the budget allows it. */
  #isBudgeted: boolean;

  constructor(parts: RaceParts) {
    this.#parts = parts;
    this.expiresAt = 0;
    this.#isBudgeted = !parts.context.route.isExhausted && parts.delays.slowMs < parts.delays.silentMs;
  }

  begin(first: Upstream, now: number): void {
    const { context, delays } = this.#parts;
    if (context.scope.aborted) {
      this.#abandon();
      return;
    }
    context.scope.signal.addEventListener('abort', this.#abandon);
    this.expiresAt = now + (this.#isBudgeted ? delays.slowMs : delays.silentMs);
    RACES.add(this);
    this.#ask(first);
  }

  expire(): void {
    const { context, delays, budget } = this.#parts;
    const { route } = context;
    const upstream = this.#isBudgeted ? (budget.tryTake() ? route.take() : undefined) : route.takeAny();
    this.#isBudgeted = false;
    this.expiresAt = performance.now() + delays.silentMs;
    if (route.leftInAll === 0) RACES.delete(this);
    if (upstream !== undefined) this.#ask(upstream);
  }

  readonly #abandon = (): void => {
    this.#finish();
    this.#parts.onError(new UpstreamFault('aborted', 'the caller has cancelled the request'));
    for (const { scope } of this.#running) scope.abort();
  };

  #ask(upstream: Upstream): void {
    const { context, next } = this.#parts;
    const runner = { upstream, scope: context.scope.derive({ isDetached: true }) };
    this.#running = [...this.#running, runner];
    next(setUpstream(withScope(context, runner.scope), upstream)).then(
      (result) => this.#take(runner, result),
      (error: unknown) => this.#fail(runner, error),
    );
  }

  #take(runner: Runner, result: JsonResult): void {
    this.#forget(runner);
    if (!this.#isOver) {
      noteConfirmed(this.#parts.context, runner.upstream);
      this.#win();
      this.#parts.onResult(result);
    } else if (typeof result !== 'string') result.cancel();
  }

  #fail(runner: Runner, error: unknown): void {
    this.#forget(runner);
    // If an upstream fails while another one is still running, the other one may succeed. An error that is an answer ends the race.
    const leavesChance = error instanceof UpstreamFault && this.#running.length > 0;
    if (this.#isOver || leavesChance) return;
    if (!(error instanceof UpstreamFault)) noteConfirmed(this.#parts.context, runner.upstream);
    this.#win();
    this.#parts.onError(error);
  }

  #forget(runner: Runner): void {
    this.#running = this.#running.filter((one) => one !== runner);
  }

  #finish(): void {
    this.#isOver = true;
    RACES.delete(this);
    this.#parts.context.scope.signal.removeEventListener('abort', this.#abandon);
  }

  /** Ends the race and cancels the other calls. */
  #win(): void {
    this.#finish();
    for (const { scope, upstream } of this.#running) {
      this.#parts.context.route.giveBack(upstream);
      scope.abort(OVERTAKEN);
    }
  }
}
