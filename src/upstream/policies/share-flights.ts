import { ChainError } from '../../chain/errors.ts';
import { isComplete, type JsonResult } from '../../primitives/json-result.ts';
import type { RequestScope } from '../../util/request-scope.ts';
import { UpstreamFault } from '../fault.ts';
import type { Policy } from '../policy-stack.ts';
import { type Exchange, fitResult, type Handler, openExchange, type RoutedCall } from '../routed-call.ts';
import { FlightMap, type Mapped } from './flight-map.ts';

/** Questions in flight at the same time that may be shared; further ones fly alone. */
const MAX_FLIGHTS = 10_000;

/** Questions in flight. */
export type Flights = FlightMap<Flight>;

/**
 * Identical questions that are asked at the same time are asked once. The shared call is cancelled when all
 * its callers have gone, and a caller with more time than the first one is not bound by the first one's deadline. A result
 * that is too large to be held cannot be shared: everyone but the first asks again.
 */
export function shareFlights(flights: Flights = new FlightMap()): Policy {
  return (next) => {
    const askAlone: Handler = (exchange) => next(openExchange(exchange, exchange.scope));
    const share: Handler = (exchange) => {
      const { call } = exchange;
      const question = nameQuestion(call);
      if (question === undefined) return askAlone(exchange);
      const about = nameSubject(call);
      const flight = flights.get(about, question);
      if (flight === undefined) {
        if (flights.size >= MAX_FLIGHTS) return askAlone(exchange);
        const scope = exchange.scope.derive({ isDetached: true });
        return new Flight(flights, about, question, scope).start(next, exchange, scope);
      }
      return flight.join(exchange.scope).then(
        (result) => (isComplete(result) ? fitResult(result, exchange.call) : askAlone(exchange)),
        (error: unknown) => {
          const { deadline, signal } = exchange.scope;
          const isLeadersLimit = isTimeLimit(error) && flight.deadline < deadline;
          if (isLeadersLimit && !signal.aborted && performance.now() < deadline) return share(exchange);
          throw error;
        },
      );
    };
    return share;
  };
}

/**
 * Begins a flight for a question that is asked together with others: callers that ask the same meanwhile wait for it. Whether they wait or go
 * makes no difference to it.
 * @returns undefined where it is in flight already, or has no name
 */
export function announce(flights: Flights, call: RoutedCall): Flight | undefined {
  const question = nameQuestion(call);
  if (question === undefined || flights.size >= MAX_FLIGHTS) return undefined;
  const about = nameSubject(call);
  if (flights.get(about, question) !== undefined) return undefined;
  const flight = new Flight(flights, about, question, undefined);
  flights.add(flight);
  return flight;
}

function nameQuestion({ key, sharedAs }: RoutedCall): string | undefined {
  return key === undefined ? sharedAs : key.question;
}

/** What a question is about, and whether of all nodes: a null that satisfies others does not satisfy that one. */
function nameSubject({ key, nulls }: RoutedCall): string {
  const about = key === undefined ? '' : key.blockHash;
  return nulls === 'certain' ? `${about}:certain` : about;
}

/** One call under way, and the callers that wait for it. */
export class Flight implements Mapped<Flight> {
  readonly about: string;
  readonly question: string;
  isMapped = false;
  next: Flight | undefined;
  previous: Flight | undefined;
  readonly #flights: Flights;
  /** Of the call: it ends with the last caller. Absent where that is announced. */
  readonly #scope: RequestScope | undefined;
  /** In the order in which they came. */
  #waiting: Waiter[] | undefined;
  #leader: Waiter | undefined;

  constructor(flights: Flights, about: string, question: string, scope: RequestScope | undefined) {
    this.#flights = flights;
    this.about = about;
    this.question = question;
    this.#scope = scope;
  }

  /** Of the caller that started it. One that was announced binds no other. */
  get deadline(): number {
    return this.#scope?.deadline ?? Number.NEGATIVE_INFINITY;
  }

  start(next: Handler, exchange: Exchange, scope: RequestScope): Promise<JsonResult> {
    const outcome = next(openExchange(exchange, scope));
    this.#flights.add(this);
    const answer = this.join(exchange.scope);
    outcome.then(
      (result) => this.land(result),
      (error: unknown) => this.crash(error),
    );
    return answer;
  }

  /** Waits until the call is done or the caller has gone. */
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
    // Callers that come now start anew instead of waiting for what is being cancelled.
    this.#end();
    this.#scope.abort();
  }

  land(result: JsonResult): void {
    const waiting = this.#end();
    if (!isComplete(result) && waiting[0] !== this.#leader) result.cancel();
    for (const waiter of waiting) waiter.take(result);
  }

  crash(error: unknown): void {
    for (const waiter of this.#end()) waiter.fail(error);
  }

  /** @returns the callers that are to be answered */
  #end(): readonly Waiter[] {
    this.#flights.delete(this);
    const waiting = this.#waiting ?? [];
    this.#waiting = undefined;
    return waiting;
  }
}

/** A caller that has not been answered and has not gone. */
class Waiter {
  readonly #scope: RequestScope;
  readonly #flight: Flight;
  readonly #resolve: (result: JsonResult) => void;
  readonly #reject: (error: unknown) => void;

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

  take(result: JsonResult): void {
    this.#scope.signal.removeEventListener('abort', this.#leave);
    this.#resolve(result);
  }

  fail(error: unknown): void {
    this.#scope.signal.removeEventListener('abort', this.#leave);
    this.#reject(error);
  }

  readonly #leave = (): void => {
    this.#flight.leave(this);
    this.fail(new UpstreamFault('aborted', 'the caller has gone'));
  };
}

function isTimeLimit(error: unknown): boolean {
  if (error instanceof UpstreamFault) return error.kind === 'timeout' || error.kind === 'aborted';
  return error instanceof ChainError && (error.kind === 'timeout' || error.kind === 'aborted');
}
