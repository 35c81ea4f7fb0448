import { ChainError } from '../chain/errors.ts';
import type { RequestScope } from '../util/request-scope.ts';
import { LATE, settleWithin } from '../util/settle-within.ts';
import { TURNS } from '../util/turn-queue.ts';
import type { Trips } from './trips.ts';

/** A question to nodes that several callers wait for. */
export class SharedQuestion<T> {
  readonly outcome: Promise<T>;
  readonly #deadline: number;
  /** Of callers, as long as it may be dropped for want of any. */
  #scopes: RequestScope[] | undefined = [];

  /**
   * @param scope of the caller that asks first
   * @param send asks with a trip's scope
   */
  constructor(trips: Trips, scope: RequestScope, send: (trip: RequestScope) => Promise<T>) {
    this.#deadline = scope.deadline;
    const begin = (trip: RequestScope): Promise<T> => {
      this.#scopes = undefined;
      return send(trip);
    };
    const isWanted = (): boolean => this.#scopes?.some(({ aborted }) => !aborted) !== false;
    this.outcome = trips.ask(scope, begin, isWanted);
    // It may be dropped when all have gone.
    this.outcome.catch(() => {});
  }

  /** Whether nodes have not been asked yet. */
  get isWaiting(): boolean {
    return this.#scopes !== undefined;
  }

  /** A caller waits for it. */
  join(scope: RequestScope): void {
    scope.hasAskedNode = true;
    this.#scopes?.push(scope);
  }

  /** Whether a caller that has more time may ask again for what failed. */
  isOutlivedBy(scope: RequestScope): boolean {
    const now = performance.now();
    return !scope.aborted && this.#deadline <= now && now < scope.deadline;
  }
}

/**
 * Waits for questions that the caller has joined, for as long as it has time. It goes on in a turn of its owner: others have waited for the
 * same, or for other answers of the same trip.
 * @returns undefined where one failed for lack of time that this caller has: it is to be asked again
 * @throws what a question failed with; ChainError `timeout`
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

/** Questions under way by name, each asked once. */
export class SharedQuestions<T> {
  readonly #trips: Trips;
  readonly #underWay = new Map<string, SharedQuestion<T>>();

  constructor(trips: Trips) {
    this.#trips = trips;
  }

  /**
   * Asks with the next trip, or waits with those that have asked before.
   * @throws what `send` throws; ChainError `timeout`
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
