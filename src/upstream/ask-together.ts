import type { Cache, KeptAnswer } from '../cache/cache.ts';
import type { CallOutcome } from '../chain/chain.ts';
import { ChainError } from '../chain/errors.ts';
import type { JsonStream } from '../primitives/json-result.ts';
import { continueWith, type PromiseOrValue } from '../primitives/promise-or-value.ts';
import type { RequestScope } from '../util/request-scope.ts';
import { UpstreamFault } from './fault.ts';
import { describeLimit } from './policies/keep-deadline.ts';
import type { DecideRoute } from './policies/order.ts';
import { announce, type Flight, type Flights } from './policies/share-flights.ts';
import type { KeepAnswer } from './policies/use-cache.ts';
import {
  type Directed,
  fitResult,
  type Handler,
  openExchange,
  type Routed,
  type RoutedCall,
  setRoute,
  setUpstream,
} from './routed-call.ts';
import type { Upstream } from './upstream.ts';

/** Fewer are asked by themselves. */
const LEAST_CALLS = 2;
/** What those hear that wait for a question that was not answered together with others: they ask it themselves. */
const NOT_ANSWERED = new UpstreamFault('aborted', 'the question is to be asked by itself');

/** What a call came to, and the node that answered it; undefined where the answer was kept. */
export type SharedOutcome = CallOutcome & { readonly node: Upstream | undefined };

/**
 * Answers calls at one block together: kept answers, and for all others one route, one deadline, and requests that they share. What the
 * node does not answer well, or another caller waits for, is undefined: it is to be asked by itself, with every policy of the pool.
 * Never throws or rejects.
 */
export type AskTogether = (
  calls: readonly (RoutedCall | undefined)[],
  scope: RequestScope,
) => PromiseOrValue<readonly (SharedOutcome | undefined)[]>;

export type TogetherParts = {
  readonly cache: Cache;
  readonly keep: KeepAnswer;
  readonly flights: Flights;
  readonly decide: DecideRoute;
  /** Asks a node that is chosen, and keeps its record. */
  readonly askNode: Handler<Directed>;
};

export function createAskTogether(parts: TogetherParts): AskTogether {
  return (calls, scope) => {
    const hash = calls.find((call) => call !== undefined)?.block?.hash;
    const atBlock = calls.map((call) =>
      hash !== undefined && call?.block?.hash === hash ? call : undefined,
    );
    const lookups = atBlock.map((call) => call?.key && parts.cache.get(call.key));
    const found = lookups.some((lookup) => lookup instanceof Promise)
      ? Promise.all(lookups)
      : (lookups as (KeptAnswer | undefined)[]);
    return continueWith(found, (kept) => {
      const outcomes = kept.map((answer, position) =>
        answer === undefined ? undefined : createKept(answer, calls[position] as RoutedCall),
      );
      return askRest(atBlock, outcomes, scope, parts);
    });
  };
}

function createKept(answer: KeptAnswer, call: RoutedCall): SharedOutcome {
  return { answer: fitResult(answer, call), isAsked: false, node: undefined };
}

/** Asks the best node for those that have no outcome. */
function askRest(
  calls: readonly (RoutedCall | undefined)[],
  outcomes: (SharedOutcome | undefined)[],
  scope: RequestScope,
  parts: TogetherParts,
): PromiseOrValue<readonly (SharedOutcome | undefined)[]> {
  const first = calls.find((call, position) => call !== undefined && outcomes[position] === undefined);
  if (first === undefined || scope.aborted) return outcomes;
  const routed = parts.decide(openExchange({ call: first, scope }, scope));
  if (routed instanceof UpstreamFault) return outcomes;
  const node = routed.route.take();
  if (node === undefined || node.health.circuit !== 'closed') return outcomes;
  const round = new Round(routed, node, outcomes, parts);
  calls.forEach((call, position) => {
    if (call !== undefined && outcomes[position] === undefined) round.add(call, position);
  });
  return round.ask();
}

type Asked = { readonly call: RoutedCall; readonly position: number; readonly flight: Flight };

/** Calls that one node is asked for at the same time. */
class Round {
  readonly #routed: Routed;
  readonly #node: Upstream;
  readonly #outcomes: (SharedOutcome | undefined)[];
  readonly #parts: TogetherParts;
  readonly #asked: Asked[] = [];

  constructor(routed: Routed, node: Upstream, outcomes: (SharedOutcome | undefined)[], parts: TogetherParts) {
    this.#routed = routed;
    this.#node = node;
    this.#outcomes = outcomes;
    this.#parts = parts;
  }

  /** A question that is in flight is left out: it is to be waited for. */
  add(call: RoutedCall, position: number): void {
    const flight = announce(this.#parts.flights, call);
    if (flight !== undefined) this.#asked.push({ call, position, flight });
  }

  ask(): PromiseOrValue<readonly (SharedOutcome | undefined)[]> {
    const asked = this.#asked;
    if (asked.length < LEAST_CALLS) {
      for (const { flight } of asked) flight.crash(NOT_ANSWERED);
      return this.#outcomes;
    }
    const { route } = this.#routed;
    const scope = this.#openScope();
    let left = asked.length;
    return new Promise((resolve, reject) => {
      const settle = (one: Asked, answer: unknown): void => {
        try {
          this.#settle(one, answer);
        } catch (error) {
          reject(error);
        }
        if (--left > 0) return;
        scope.release();
        resolve(this.#outcomes);
      };
      for (const one of asked) {
        const exchange = setRoute(openExchange({ call: one.call, scope }, scope), route);
        this.#parts.askNode(setUpstream(exchange, this.#node)).then(
          (result) => settle(one, result),
          (error: unknown) => settle(one, error),
        );
      }
    });
  }

  /** A node that stays silent leaves others that could be asked their time, as in `hedge`. */
  #openScope(): RequestScope {
    const { scope, route } = this.#routed;
    const now = performance.now();
    const deadline = route.isExhausted ? scope.deadline : now + (scope.deadline - now) / (route.left + 2);
    return scope.derive({ deadline });
  }

  /** @param answer a result, or what asking for it failed with */
  #settle({ call, position, flight }: Asked, answer: unknown): void {
    if (typeof answer === 'string' && (answer !== 'null' || call.nulls === 'truth')) {
      this.#outcomes[position] = { answer, isAsked: true, node: this.#node };
      this.#parts.keep(call, this.#node, answer);
      flight.land(answer);
      return;
    }
    if (answer instanceof ChainError) {
      this.#outcomes[position] = { answer, isAsked: true, node: this.#node };
      flight.crash(answer);
      return;
    }
    flight.crash(NOT_ANSWERED);
    if (answer instanceof Error && !(answer instanceof UpstreamFault)) throw answer;
    // It is too long to be at hand: it is asked for again, to be passed on.
    if (isResult(answer)) answer.cancel();
    const { scope } = this.#routed;
    if (performance.now() >= scope.deadline)
      this.#outcomes[position] = { answer: describeLimit(scope), isAsked: true, node: undefined };
  }
}

function isResult(answer: unknown): answer is JsonStream {
  return typeof answer === 'object' && answer !== null && 'pieces' in answer;
}
