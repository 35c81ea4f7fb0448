import { ChainError } from '../../../chain/errors.ts';
import { completeWithin, TIMED_OUT } from '../../../util/complete-within.ts';
import type { RequestScope } from '../../../util/request-scope.ts';
import { SCHEDULER } from '../../../util/slot-scheduler.ts';
import type { RoundTrips } from './round-trips.ts';

/** Request to nodes whose outcome several callers share. */
export class SharedRequest<T> {
  readonly outcome: Promise<T>;
  readonly #deadline: number;
  /** Scopes of the waiting callers; undefined after the request was sent. A request that was not sent is dropped if all callers have disconnected. */
  #scopes: RequestScope[] | undefined = [];

  /**
   * @param scope scope of the first caller
   * @param send sends the request with the scope of the round trip
   */
  constructor(roundTrips: RoundTrips, scope: RequestScope, send: (roundTrip: RequestScope) => Promise<T>) {
    this.#deadline = scope.deadline;
    const begin = (roundTrip: RequestScope): Promise<T> => {
      this.#scopes = undefined;
      return send(roundTrip);
    };
    const isWanted = (): boolean => this.#scopes?.some(({ aborted }) => !aborted) !== false;
    this.outcome = roundTrips.ask(scope, begin, isWanted);
    // If all callers have disconnected, the request is dropped and nobody awaits the rejection of this promise.
    this.outcome.catch(() => {});
  }

  /** Returns whether the request has not been sent yet. */
  get isWaiting(): boolean {
    return this.#scopes !== undefined;
  }

  /** Adds a waiting caller. */
  join(scope: RequestScope): void {
    scope.hasCalledNode = true;
    this.#scopes?.push(scope);
  }

  /** Returns whether the request has passed its own deadline, but the caller still has time to repeat it. */
  isOutlivedBy(scope: RequestScope): boolean {
    const now = performance.now();
    return !scope.aborted && this.#deadline <= now && now < scope.deadline;
  }
}

/**
 * Waits for requests that the caller has joined, until the caller's deadline. The caller then continues in a scheduler slot of its owner, because
 * many callers may have waited for one round trip.
 * @returns the outcomes; undefined if a request failed at an earlier deadline than the caller's, so that the caller has to repeat it
 * @throws the error of a request; ChainError `timeout`
 */
export async function awaitShared<T>(
  requests: readonly SharedRequest<T>[],
  scope: RequestScope,
): Promise<readonly T[] | undefined> {
  let outcomes: typeof TIMED_OUT | readonly T[];
  try {
    const all = Promise.all(requests.map(({ outcome }) => outcome));
    outcomes = await completeWithin(all, scope.deadline - performance.now());
    await SCHEDULER.rejoin(scope.owner ?? '');
  } catch (error) {
    await SCHEDULER.rejoin(scope.owner ?? '');
    if (requests.some((query) => query.isOutlivedBy(scope))) return undefined;
    throw error;
  }
  if (outcomes === TIMED_OUT) throw new ChainError('timeout', 'no node has proven the state in time');
  return outcomes;
}

/** Coalesces in-flight requests with the same name. */
export class SharedRequests<T> {
  readonly #roundTrips: RoundTrips;
  readonly #underWay = new Map<string, SharedRequest<T>>();

  constructor(roundTrips: RoundTrips) {
    this.#roundTrips = roundTrips;
  }

  /**
   * Sends the request with the next round trip, or waits for the in-flight request with this name.
   * @throws the error of `send`; ChainError `timeout`
   */
  async ask(name: string, scope: RequestScope, send: (roundTrip: RequestScope) => Promise<T>): Promise<T> {
    for (;;) {
      const query = this.#underWay.get(name) ?? this.#begin(name, scope, send);
      query.join(scope);
      const outcomes = await awaitShared([query], scope);
      if (outcomes !== undefined) return outcomes[0] as T;
    }
  }

  #begin(name: string, scope: RequestScope, send: (roundTrip: RequestScope) => Promise<T>): SharedRequest<T> {
    const query = new SharedRequest(this.#roundTrips, scope, send);
    const forget = (): void => {
      if (this.#underWay.get(name) === query) this.#underWay.delete(name);
    };
    query.outcome.then(forget, forget);
    this.#underWay.set(name, query);
    return query;
  }
}
