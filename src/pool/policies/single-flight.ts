import { isComplete, type JsonResult } from '../../../packages/ethereum/primitives/json-result.ts';
import type { CacheKey } from '../../cache/cache.ts';
import { composeName } from '../../cache/key-name.ts';
import { ChainError } from '../../chain/errors.ts';
import { PassingMap } from '../../util/passing-map.ts';
import type { RequestScope } from '../../util/request-scope.ts';
import { SCHEDULER } from '../../util/slot-scheduler.ts';
import { UpstreamFault } from '../fault.ts';
import { ALONE, findFirst, type GroupHandler } from '../group.ts';
import type { Policy } from '../policy-stack.ts';
import {
  fitResult,
  type Handler,
  openContext,
  type RequestContext,
  type UpstreamRequest,
} from '../upstream-request.ts';

/** Maximum number of in-flight requests that are registered for sharing. While this many are registered, new requests are not shared. */
const MAX_IN_FLIGHT = 10_000;

/** Name of a request in the map. A number combines both hashes of the cache key; look-ups by number take half the time of look-ups by string. */
type FlightName = string | number;

/** In-flight requests by name. */
type InFlightRequests = PassingMap<FlightName, Flight>;

/**
 * Coalesces identical concurrent requests into one. The shared call is cancelled when all its callers have disconnected. A caller with a later
 * deadline than the first caller sends again if the shared request fails at the first caller's deadline. A result that is too large to be buffered
 * cannot be shared. Every caller but the first one then sends its own request.
 */
export function singleFlight(): Policy {
  const inFlight: InFlightRequests = new PassingMap();
  const wrap = (next: Handler): Handler => {
    const sendAlone: Handler = (context) => next(openContext(context, context.scope));
    const share: Handler = (context) => {
      const name = nameRequest(context.call);
      if (name === undefined) return sendAlone(context);
      const flight = inFlight.get(name);
      if (flight === undefined) {
        if (inFlight.size >= MAX_IN_FLIGHT) return sendAlone(context);
        const scope = context.scope.derive({ isDetached: true });
        return new Flight(inFlight, name, context.call.key, scope).start(next, context, scope);
      }
      if (!flight.isOf(context.call)) return sendAlone(context);
      return flight.join(context.scope).then(
        (result) => (isComplete(result) ? fitResult(result, context.call) : sendAlone(context)),
        (error: unknown) => {
          const { deadline, signal } = context.scope;
          const isLeadersLimit = isTimeLimit(error) && flight.deadline < deadline;
          if (isLeadersLimit && !signal.aborted && performance.now() < deadline) return share(context);
          throw error;
        },
      );
    };
    return share;
  };
  return Object.assign(wrap, { group: (next: GroupHandler) => shareGroup(inFlight, next) });
}

/**
 * Fault for callers that waited for a request of a group when the request left the group. Callers that get this fault must send the request again.
 */
const NOT_ANSWERED = new UpstreamFault('aborted', 'the request must be sent alone');

/**
 * Registers the requests of a group. A request that is already in flight leaves the group. The caller of a request that left the group sends it
 * alone, and thus waits for the answer to the request in flight.
 */
function shareGroup(inFlight: InFlightRequests, next: GroupHandler): GroupHandler {
  return (group, receive) => {
    const flights = group.map((context) => context && announce(inFlight, context.call));
    const sent = group.map((context, position) => (flights[position] === undefined ? undefined : context));
    for (let position = 0; position < group.length; position++)
      if (group[position] !== undefined && sent[position] === undefined) receive(position, ALONE);
    if (findFirst(sent) === undefined) return;
    next(sent, (position, outcome) => {
      const flight = flights[position] as Flight;
      if (!(outcome instanceof Error)) flight.land(outcome);
      else flight.crash(outcome instanceof ChainError ? outcome : NOT_ANSWERED);
      receive(position, outcome);
    });
  };
}

/**
 * Registers a request of a group, so that later callers of the same request wait for its answer. When these later callers leave, the request is not
 * cancelled.
 * @returns undefined if the request is already in flight, has no name, or the maximum is reached
 */
function announce(inFlight: InFlightRequests, call: UpstreamRequest): Flight | undefined {
  const name = nameRequest(call);
  if (name === undefined || inFlight.size >= MAX_IN_FLIGHT || inFlight.get(name) !== undefined)
    return undefined;
  const flight = new Flight(inFlight, name, call.key, undefined);
  inFlight.set(name, flight);
  return flight;
}

function nameRequest({ key, sharedAs, nulls }: UpstreamRequest): FlightName | undefined {
  // A request with `nulls: 'certain'` has a separate name, because it may not share a null that was accepted under weaker conditions.
  const isCertain = nulls === 'certain';
  if (key?.hashes !== undefined && !isCertain) {
    const { hash, tag } = key.hashes;
    // The number has all 32 bits of `hash` and 21 bits of `tag`, because a double represents 53 bits exactly.
    return hash * 2 ** 21 + (tag >>> 11);
  }
  const name = key === undefined ? sharedAs : composeName(key);
  return name !== undefined && isCertain ? `${name}:certain` : name;
}

/** One in-flight request, and the callers that wait for it. */
class Flight {
  readonly #inFlight: InFlightRequests;
  readonly #name: FlightName;
  readonly #key: CacheKey | undefined;
  /** Scope of the request, which is aborted when the last caller leaves; undefined for a request of a group. */
  readonly #scope: RequestScope | undefined;
  /** Callers in order of arrival. */
  #waiting: Waiter[] | undefined;
  #leader: Waiter | undefined;

  constructor(
    inFlight: InFlightRequests,
    name: FlightName,
    key: CacheKey | undefined,
    scope: RequestScope | undefined,
  ) {
    this.#inFlight = inFlight;
    this.#name = name;
    this.#key = key;
    this.#scope = scope;
  }

  /**
   * Deadline of the caller that started the request. For a request of a group, the deadline is minus infinity, so that waiting callers send the
   * request again when it fails.
   */
  get deadline(): number {
    return this.#scope?.deadline ?? Number.NEGATIVE_INFINITY;
  }

  /** Whether the in-flight request has the same key as the call. Requests with different keys may have the same name, because hashes may collide. */
  isOf({ key }: UpstreamRequest): boolean {
    return this.#key?.request === key?.request && this.#key?.blockHash === key?.blockHash;
  }

  start(next: Handler, context: RequestContext, scope: RequestScope): Promise<JsonResult> {
    const outcome = next(openContext(context, scope));
    this.#inFlight.set(this.#name, this);
    const answer = this.join(context.scope);
    outcome.then(
      (result) => this.land(result),
      (error: unknown) => this.crash(error),
    );
    return answer;
  }

  /** Waits until the request is complete or the caller has disconnected. */
  join(scope: RequestScope): Promise<JsonResult> {
    return new Promise((resolve, reject) => {
      const waiter = new Waiter(scope, this, resolve, reject);
      this.#leader ??= waiter;
      if (this.#waiting === undefined) this.#waiting = [waiter];
      else this.#waiting.push(waiter);
      waiter.begin();
    });
  }

  leave(waiter: Waiter): void {
    const waiting = this.#waiting ?? [];
    waiting.splice(waiting.indexOf(waiter), 1);
    if (waiting.length > 0 || this.#scope === undefined) return;
    // The request is removed first, so that new callers do not wait for a cancelled request.
    this.#end();
    this.#scope.abort();
  }

  land(result: JsonResult): void {
    const waiting = this.#end();
    if (!isComplete(result) && waiting[0] !== this.#leader) result.cancel();
    completeAll(waiting, (waiter) => waiter.take(result));
  }

  crash(error: unknown): void {
    completeAll(this.#end(), (waiter) => waiter.fail(error));
  }

  /** Removes the request. @returns the callers that are still waiting */
  #end(): readonly Waiter[] {
    if (this.#inFlight.get(this.#name) === this) this.#inFlight.delete(this.#name);
    const waiting = this.#waiting ?? [];
    this.#waiting = undefined;
    return waiting;
  }
}

/** Completes the first caller immediately, and each other caller in a scheduler slot of its owner, because every caller then processes the answer. */
function completeAll(waiting: readonly Waiter[], complete: (waiter: Waiter) => void): void {
  for (const [at, waiter] of waiting.entries()) {
    if (at === 0) complete(waiter);
    else waiter.settleLater(() => complete(waiter));
  }
}

/** A caller that has neither been answered nor disconnected. */
class Waiter {
  readonly #scope: RequestScope;
  readonly #flight: Flight;
  readonly #resolve: (result: JsonResult) => void;
  readonly #reject: (error: unknown) => void;
  #isOver = false;

  constructor(
    scope: RequestScope,
    flight: Flight,
    resolve: (result: JsonResult) => void,
    reject: (error: unknown) => void,
  ) {
    this.#scope = scope;
    this.#flight = flight;
    this.#resolve = resolve;
    this.#reject = reject;
  }

  begin(): void {
    if (this.#scope.aborted) this.#leave();
    else this.#scope.signal.addEventListener('abort', this.#leave);
  }

  /**
   * Completes the caller in a scheduler slot. If the caller disconnects before the slot, nothing is cancelled, because the request has already ended.
   */
  settleLater(complete: () => void): void {
    this.#isOver = true;
    SCHEDULER.resumeLater(this.#scope.owner ?? '', complete);
  }

  take(result: JsonResult): void {
    this.#scope.signal.removeEventListener('abort', this.#leave);
    this.#resolve(result);
  }

  fail(error: unknown): void {
    this.#scope.signal.removeEventListener('abort', this.#leave);
    this.#reject(error);
  }

  readonly #leave = (): void => {
    if (!this.#isOver) this.#flight.leave(this);
    this.fail(new UpstreamFault('aborted', 'the caller has cancelled the request'));
  };
}

function isTimeLimit(error: unknown): boolean {
  if (error instanceof UpstreamFault) return error.kind === 'timeout' || error.kind === 'aborted';
  return error instanceof ChainError && (error.kind === 'timeout' || error.kind === 'aborted');
}
