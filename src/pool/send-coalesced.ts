import type { JsonStream, JsonText } from '../../packages/ethereum/primitives/json-result.ts';
import { continueWith, type PromiseOrValue } from '../../packages/ethereum/primitives/promise-or-value.ts';
import type { Cache, CachedAnswer } from '../cache/cache.ts';
import type { CallOutcome } from '../chain/chain.ts';
import { ChainError } from '../chain/errors.ts';
import { type Expiring, ExpirySweep } from '../util/expiry-sweep.ts';
import type { RequestScope } from '../util/request-scope.ts';
import { UpstreamFault } from './fault.ts';
import { describeLimit } from './policies/keep-deadline.ts';
import { type DecideRoute, isResponsive } from './policies/order.ts';
import { OVERTAKEN } from './policies/overtaken.ts';
import type { ProbeSilent } from './policies/probe-silent.ts';
import type { SendMany } from './policies/send.ts';
import { announce, type Flight, type InFlightRequests } from './policies/single-flight.ts';
import type { KeepAnswer } from './policies/use-cache.ts';
import type { Upstream } from './upstream.ts';
import { fitResult, openContext, type RoutedRequest, type UpstreamRequest } from './upstream-request.ts';

/** Fewer calls than this are not coalesced; each is sent alone. */
const LEAST_CALLS = 2;
/** Resolution of the timer that sends to the next node, ms: the send is late by at most this. */
const SWEEP_MS = 20;
/** Rejects callers that wait for a call without a coalesced answer: they then send it themselves. */
const NOT_ANSWERED = new UpstreamFault('aborted', 'the call must be sent alone');

/** Outcome of a call and the node that answered it; `node` is undefined for a cached answer. */
export type SharedOutcome = CallOutcome & { readonly node: Upstream | undefined };

/**
 * Answers calls at one block together: first from the cache, the others over one route, with one deadline and shared requests.
 * A call is undefined in the result if no node answers it well or it is already in flight; the caller then sends it alone,
 * with every policy of the pool. Throws and rejects only on internal errors of this program.
 */
export type SendCoalesced = (
  calls: readonly (UpstreamRequest | undefined)[],
  scope: RequestScope,
) => PromiseOrValue<readonly (SharedOutcome | undefined)[]>;

export type CoalescedParts = {
  readonly cache: Cache;
  readonly keep: KeepAnswer;
  readonly inFlight: InFlightRequests;
  readonly decide: DecideRoute;
  readonly probe: ProbeSilent;
  /** Sends calls to a chosen node and records its health. */
  readonly sendToNode: SendMany;
};

export function createSendCoalesced(parts: CoalescedParts): SendCoalesced {
  return (calls, scope) => {
    const hash = calls.find((call) => call !== undefined)?.block?.hash;
    const atBlock = calls.map((call) =>
      hash !== undefined && call?.block?.hash === hash ? call : undefined,
    );
    const lookups = atBlock.map((call) => call?.key && parts.cache.get(call.key));
    const found = lookups.some((lookup) => lookup instanceof Promise)
      ? Promise.all(lookups)
      : (lookups as (CachedAnswer | undefined)[]);
    return continueWith(found, (cached) => {
      const outcomes = cached.map((answer, position) =>
        answer === undefined ? undefined : fromCache(answer, calls[position] as UpstreamRequest),
      );
      return sendRest(atBlock, outcomes, scope, parts);
    });
  };
}

function fromCache(answer: CachedAnswer, call: UpstreamRequest): SharedOutcome {
  return { answer: fitResult(answer, call), isRequested: false, node: undefined };
}

/** Sends the calls without an outcome to the best node. */
function sendRest(
  calls: readonly (UpstreamRequest | undefined)[],
  outcomes: (SharedOutcome | undefined)[],
  scope: RequestScope,
  parts: CoalescedParts,
): PromiseOrValue<readonly (SharedOutcome | undefined)[]> {
  const first = calls.find((call, position) => call !== undefined && outcomes[position] === undefined);
  if (first === undefined || scope.aborted) return outcomes;
  const routed = parts.decide(openContext({ call: first, scope }, scope));
  if (routed instanceof UpstreamFault) return outcomes;
  parts.probe(routed);
  const node = routed.route.take();
  if (node === undefined || !isWell(node, first.method)) return outcomes;
  const round = new Round(routed, outcomes, parts);
  calls.forEach((call, position) => {
    if (call !== undefined && outcomes[position] === undefined) round.add(call, position);
  });
  return round.ask(node);
}

function isWell(node: Upstream, method: string): boolean {
  return node.health.circuit === 'closed' && isResponsive(node, method);
}

type Asked = {
  readonly call: UpstreamRequest;
  readonly position: number;
  readonly flight: Flight;
  /** Nodes that the call is sent to and that have not replied. */
  running: number;
  isCompleted: boolean;
};

/** One timer serves all rounds. */
const ROUNDS = new ExpirySweep<Round>(SWEEP_MS);

/**
 * Calls that are sent to one node together. When it stays silent for its share of the time, as in `hedge`, the unanswered calls are
 * sent to the next node, and so on; the first answer to each call counts. A round expires when the next node is due.
 */
class Round implements Expiring {
  expiresAt = Number.POSITIVE_INFINITY;
  sweepIndex = -1;
  readonly #routed: RoutedRequest;
  readonly #outcomes: (SharedOutcome | undefined)[];
  readonly #parts: CoalescedParts;
  readonly #requested: Asked[] = [];
  /** One scope per node that calls are sent to. */
  readonly #scopes: RequestScope[] = [];
  /** Calls without a final outcome. */
  #left = 0;
  #silentMs = 0;
  #resolve: (outcomes: readonly (SharedOutcome | undefined)[]) => void = () => {};
  #reject: (fault: unknown) => void = () => {};

  constructor(routed: RoutedRequest, outcomes: (SharedOutcome | undefined)[], parts: CoalescedParts) {
    this.#routed = routed;
    this.#outcomes = outcomes;
    this.#parts = parts;
  }

  /** Adds a call, unless the same call is already in flight; that one has to be waited for. */
  add(call: UpstreamRequest, position: number): void {
    const flight = announce(this.#parts.inFlight, call);
    if (flight !== undefined)
      this.#requested.push({ call, position, flight, running: 0, isCompleted: false });
  }

  ask(node: Upstream): PromiseOrValue<readonly (SharedOutcome | undefined)[]> {
    const requested = this.#requested;
    if (requested.length < LEAST_CALLS) {
      for (const { flight } of requested) flight.crash(NOT_ANSWERED);
      return this.#outcomes;
    }
    const { scope, route } = this.#routed;
    this.#left = requested.length;
    return new Promise((resolve, reject) => {
      this.#resolve = resolve;
      this.#reject = reject;
      const now = performance.now();
      this.#silentMs = (scope.deadline - now) / (route.left + 2);
      this.expiresAt = now + this.#silentMs;
      if (!route.isExhausted) ROUNDS.add(this);
      this.#sendToNode(node);
    });
  }

  expire(): void {
    const { route } = this.#routed;
    const node = route.take();
    this.expiresAt = performance.now() + this.#silentMs;
    if (route.isExhausted) ROUNDS.delete(this);
    if (node !== undefined && isWell(node, this.#routed.call.method)) this.#sendToNode(node);
  }

  /** Sends all calls without a final outcome to the node. */
  #sendToNode(node: Upstream): void {
    const { route, scope: outer } = this.#routed;
    const scope = outer.derive();
    this.#scopes.push(scope);
    const open = this.#requested.filter(({ isCompleted }) => !isCompleted);
    const requestedAt = performance.now();
    for (const one of open) one.running++;
    this.#parts.sendToNode(
      open.map(({ call }) => ({ call, scope, route, upstream: node, requestedAt })),
      (position, answer) => this.#hear(open[position] as Asked, node, answer),
    );
  }

  /** @param answer a result, or the error with which the request failed */
  #hear(one: Asked, node: Upstream, answer: unknown): void {
    one.running--;
    // A streamed result is too long to buffer: the caller sends the call again and passes the stream on.
    if (isStream(answer)) answer.cancel();
    if (one.isCompleted) return;
    const isAnswer =
      answer instanceof ChainError ||
      (typeof answer === 'string' && (answer !== 'null' || one.call.nulls === 'truth'));
    // After a failure, wait while another node may still answer.
    if (!isAnswer && one.running > 0) return;
    one.isCompleted = true;
    try {
      if (isAnswer) this.#take(one, node, answer);
      else this.#leave(one, answer);
    } catch (error) {
      this.#reject(error);
    }
    if (--this.#left === 0) this.#end();
  }

  #take({ call, position, flight }: Asked, node: Upstream, answer: JsonText | ChainError): void {
    this.#outcomes[position] = { answer, isRequested: true, node };
    if (answer instanceof ChainError) {
      flight.crash(answer);
      return;
    }
    flight.land(answer);
    this.#parts.keep(call, node, answer);
  }

  #leave({ position, flight }: Asked, answer: unknown): void {
    flight.crash(NOT_ANSWERED);
    if (answer instanceof Error && !(answer instanceof UpstreamFault)) throw answer;
    const { scope } = this.#routed;
    if (performance.now() >= scope.deadline)
      this.#outcomes[position] = { answer: describeLimit(scope), isRequested: true, node: undefined };
  }

  #end(): void {
    ROUNDS.delete(this);
    for (const scope of this.#scopes) {
      scope.release();
      scope.abort(OVERTAKEN);
    }
    this.#resolve(this.#outcomes);
  }
}

function isStream(answer: unknown): answer is JsonStream {
  return typeof answer === 'object' && answer !== null && 'pieces' in answer;
}
