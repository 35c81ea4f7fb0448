import type { JsonResult } from '../../primitives/json-result.ts';
import type { LatencyWindow } from '../../util/latency-window.ts';
import type { RequestScope } from '../../util/request-scope.ts';
import type { TokenBucket } from '../../util/token-bucket.ts';
import { UpstreamFault } from '../fault.ts';
import type { Directed, Handler, Policy, Routed } from '../routed-call.ts';
import type { Upstream } from '../upstream.ts';
import { OVERTAKEN } from './overtaken.ts';

/** The share of a method's calls that are faster than what makes a call slow. */
const SLOW_SHARE = 0.95;
/** Nothing is called slow before this many calls of a method have been seen, or within this time. */
const MIN_SAMPLES = 20;
const MIN_DELAY_MS = 5;
/** The longest time that a timer can be set to. */
const MAX_DELAY_MS = 2 ** 31 - 1;

export type HedgeParts = {
  /** Hedged calls as a part of all; 0 is none. */
  readonly share: number;
  readonly budget: TokenBucket;
  /** How long calls of a method take. */
  readonly latenciesOf: (method: string) => LatencyWindow;
};

/**
 * Asks the next upstream of the route. When it takes longer than nearly all calls of the method, the one after it is
 * asked too, as far as `budget` allows. One that stays silent for its part of the caller's time is not waited for
 * alone in any case: the others get theirs. Whoever answers first wins; the rest is given up, and may be asked again
 * should the answer not be enough (a null to be confirmed, a stream that breaks off).
 */
export function hedge({ share, budget, latenciesOf }: HedgeParts): Policy<Routed, Directed> {
  return (next) => (exchange) => {
    const { route } = exchange;
    const first = route.take();
    if (first === undefined) return Promise.reject(new UpstreamFault('unreachable', 'no node is reachable'));
    const latencies = latenciesOf(exchange.call.method);
    budget.earn(share);
    const started = performance.now();
    const answer = route.isExhausted
      ? askOne(next, exchange, first)
      : new Race(next, exchange).run(
          first,
          chooseDelays(exchange, share > 0 ? latencies : undefined),
          budget,
        );
    return answer.then((result) => {
      latencies.record(performance.now() - started);
      return result;
    });
  };
}

function askOne(next: Handler<Directed>, exchange: Routed, upstream: Upstream): Promise<JsonResult> {
  noteWitness(exchange, upstream);
  return next({ ...exchange, upstream });
}

/** The last to be heard is the one whose answer counts. */
function noteWitness({ witness }: Routed, upstream: Upstream): void {
  if (witness !== undefined) witness.upstream = upstream;
}

type Delays = {
  /** Until the budgeted second call. */
  readonly slowMs: number;
  /** Until the next upstream is asked whatever the budget says. */
  readonly silentMs: number;
};

function chooseDelays({ call, scope, route }: Routed, latencies: LatencyWindow | undefined): Delays {
  // Another node has another pending block in mind: it is asked for want of an answer only.
  const isKnown = latencies !== undefined && latencies.count >= MIN_SAMPLES && call.isSticky !== true;
  const slowMs = isKnown ? latencies.percentile(SLOW_SHARE) : undefined;
  return {
    slowMs: slowMs === undefined ? Number.POSITIVE_INFINITY : Math.max(MIN_DELAY_MS, slowMs),
    silentMs: Math.min(MAX_DELAY_MS, (scope.deadline - performance.now()) / (route.left + 2)),
  };
}

/** Calls of the same question to several upstreams. */
class Race {
  readonly #next: Handler<Directed>;
  readonly #exchange: Routed;
  readonly #running = new Map<RequestScope, Upstream>();
  #timer: NodeJS.Timeout | undefined;
  #isOver = false;
  #resolve: (result: JsonResult) => void = () => {};
  #reject: (error: unknown) => void = () => {};

  constructor(next: Handler<Directed>, exchange: Routed) {
    this.#next = next;
    this.#exchange = exchange;
  }

  run(first: Upstream, { slowMs, silentMs }: Delays, budget: TokenBucket): Promise<JsonResult> {
    return new Promise((resolve, reject) => {
      this.#resolve = resolve;
      this.#reject = reject;
      const { signal } = this.#exchange.scope;
      if (signal.aborted) return this.#abandon();
      signal.addEventListener('abort', this.#abandon);
      if (slowMs < silentMs) {
        this.#timer = setTimeout(() => {
          if (budget.tryTake()) this.#beginNext();
          this.#goOn(silentMs);
        }, slowMs);
      } else {
        this.#goOn(silentMs);
      }
      this.#begin(first);
    });
  }

  readonly #abandon = (): void => {
    this.#finish(() => this.#reject(new UpstreamFault('aborted', 'the caller has gone')));
    for (const scope of this.#running.keys()) scope.abort();
  };

  #goOn(silentMs: number): void {
    if (this.#isOver || this.#exchange.route.isExhausted) return;
    this.#timer = setTimeout(() => {
      this.#beginNext();
      this.#goOn(silentMs);
    }, silentMs);
  }

  #beginNext(): void {
    const upstream = this.#isOver ? undefined : this.#exchange.route.take();
    if (upstream !== undefined) this.#begin(upstream);
  }

  #begin(upstream: Upstream): void {
    const scope = this.#exchange.scope.derive({ isDetached: true });
    this.#running.set(scope, upstream);
    this.#next({ ...this.#exchange, scope, upstream }).then(
      (result) => {
        this.#running.delete(scope);
        if (!this.#isOver) {
          noteWitness(this.#exchange, upstream);
          this.#win(() => this.#resolve(result));
        } else if (typeof result !== 'string') result.cancel();
      },
      (error: unknown) => {
        this.#running.delete(scope);
        // A fault leaves the others their chance; an answer that is an error is an answer.
        const leavesChance = error instanceof UpstreamFault && this.#running.size > 0;
        if (!this.#isOver && !leavesChance) this.#win(() => this.#reject(error));
      },
    );
  }

  #finish(settle: () => void): void {
    this.#isOver = true;
    clearTimeout(this.#timer);
    this.#exchange.scope.signal.removeEventListener('abort', this.#abandon);
    settle();
  }

  #win(settle: () => void): void {
    this.#finish(settle);
    for (const [scope, upstream] of this.#running) {
      this.#exchange.route.giveBack(upstream);
      scope.abort(OVERTAKEN);
    }
  }
}
