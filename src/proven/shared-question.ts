import { ChainError } from '../chain/errors.ts';
import type { RequestScope } from '../util/request-scope.ts';
import { LATE, settleWithin } from '../util/settle-within.ts';
import { TURNS } from '../util/turn-queue.ts';
import type { Trips } from './trips.ts';

/** Request to nodes that several callers wait for. */
export class SharedQuestion<T> {
  readonly outcome: Promise<T>;
  readonly #deadline: number;
  /** Scopes of the waiting callers, while the request may still be dropped when none is left. */
  #scopes: RequestScope[] | undefined = [];

  /**
   * @param scope scope of the first caller
   * @param send sends the request with a round trip's scope
   */
  constructor(trips: Trips, scope: RequestScope, send: (trip: RequestScope) => Promise<T>) {
    this.#deadline = scope.deadline;
    const begin = (trip: RequestScope): Promise<T> => {
      this.#scopes = undefined;
      return send(trip);
    };
    const isWanted = (): boolean => this.#scopes?.some(({ aborted }) => !aborted) !== false;
    this.outcome = trips.ask(scope, begin, isWanted);
    // The request may be dropped when all callers have gone.
    this.outcome.catch(() => {});
  }

  /** Whether the request has not been sent yet. */
  get isWaiting(): boolean {
    return this.#scopes !== undefined;
  }

  /** Adds a waiting caller. */
  join(scope: RequestScope): void {
    scope.hasAskedNode = true;
    this.#scopes?.push(scope);
  }

  /** Whether a caller with more time may repeat the failed request. */
  isOutlivedBy(scope: RequestScope): boolean {
    const now = performance.now();
    return !scope.aborted && this.#deadline <= now && now < scope.deadline;
  }
}

/**
 * Waits for requests that the caller has joined, for as long as it has time. The caller continues in a scheduler slot of its owner: others have waited for
 * the same, or for other answers of the same round trip.
 * @returns undefined where a request failed for lack of time that this caller still has: it is to be repeated
 * @throws the error of a request; ChainError `timeout`
 */
export async function settleShared<T>(
  questions: readonly SharedQuestion<T>[],
  scope: RequestScope,
): Promise<readonly T[] | undefined> {
  let outcomes: typeof LATE | readonly T[];
  try {
    const all = Promise.all(questions.map(({ outcome }) => outcome));
    outcomes = await settleWithin(all, scope.deadline - performance.now());
    await TURNS.rejoin(scope.owner ?? '');
  } catch (error) {
    await TURNS.rejoin(scope.owner ?? '');
    if (questions.some((question) => question.isOutlivedBy(scope))) return undefined;
    throw error;
  }
  if (outcomes === LATE) throw new ChainError('timeout', 'no node has proven the state in time');
  return outcomes;
}

/** In-flight requests by name; requests of the same name are coalesced. */
export class SharedQuestions<T> {
  readonly #trips: Trips;
  readonly #underWay = new Map<string, SharedQuestion<T>>();

  constructor(trips: Trips) {
    this.#trips = trips;
  }

  /**
   * Sends the request with the next round trip, or waits for the one in flight.
   * @throws the error of `send`; ChainError `timeout`
   */
  async ask(name: string, scope: RequestScope, send: (trip: RequestScope) => Promise<T>): Promise<T> {
    for (;;) {
      const question = this.#underWay.get(name) ?? this.#begin(name, scope, send);
      question.join(scope);
      const outcomes = await settleShared([question], scope);
      if (outcomes !== undefined) return outcomes[0] as T;
    }
  }

  #begin(name: string, scope: RequestScope, send: (trip: RequestScope) => Promise<T>): SharedQuestion<T> {
    const question = new SharedQuestion(this.#trips, scope, send);
    const forget = (): void => {
      if (this.#underWay.get(name) === question) this.#underWay.delete(name);
    };
    question.outcome.then(forget, forget);
    this.#underWay.set(name, question);
    return question;
  }
}
