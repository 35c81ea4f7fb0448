import { ChainError } from '../chain/errors.ts';
import { RequestScope } from '../util/request-scope.ts';

/** Trips under way at which what comes next waits until one of them is over, and for how long at most, milliseconds. */
const MAX_UNDER_WAY = 2;
const MAX_WAIT_MS = 25;
/** Questions of one trip. */
const MAX_QUESTIONS = 128;

type Question = {
  readonly scope: RequestScope;
  readonly send: (trip: RequestScope) => Promise<void>;
  readonly isWanted: () => boolean;
  readonly drop: () => void;
};

/**
 * Questions to nodes that come in the same turn of the event loop, or while others are under way, make one trip: they have one scope, so that
 * the pool puts them into common requests, as it does with the items of a client's batch. Owners have turns where there are more questions than
 * one trip takes.
 */
export class Trips {
  /** Questions by owner; the owner with the next turn is first. */
  readonly #waiting = new Map<string | undefined, Question[]>();
  #underWay = 0;
  #timer: NodeJS.Timeout | undefined;
  #isLeaving = false;

  /**
   * Asks with the next trip.
   * @param scope the caller's; the trip has as much time as the one that has most, and is not aborted with any
   * @param send asks with the trip's scope
   * @param isWanted whether a caller still waits for it when the trip begins: otherwise nodes are not asked
   * @throws what `send` throws; ChainError `aborted` where it was not wanted any more
   */
  ask<T>(
    scope: RequestScope,
    send: (trip: RequestScope) => Promise<T>,
    isWanted: () => boolean = () => !scope.aborted,
  ): Promise<T> {
    scope.hasAskedNode = true;
    return new Promise((resolve, reject) => {
      const question: Question = {
        scope,
        send: (trip) => send(trip).then(resolve, reject),
        isWanted,
        drop: () => reject(new ChainError('aborted', 'aborted')),
      };
      const own = this.#waiting.get(scope.owner);
      if (own === undefined) this.#waiting.set(scope.owner, [question]);
      else own.push(question);
      this.#prepare();
    });
  }

  #prepare(): void {
    if (this.#isLeaving || this.#waiting.size === 0) return;
    if (this.#underWay < MAX_UNDER_WAY) {
      this.#isLeaving = true;
      clearTimeout(this.#timer);
      this.#timer = undefined;
      setImmediate(() => this.#leave());
    } else if (this.#timer === undefined) {
      this.#timer = setTimeout(() => this.#leave(), MAX_WAIT_MS);
    }
  }

  #leave(): void {
    this.#isLeaving = false;
    this.#timer = undefined;
    const questions = this.#takeNext();
    const [first] = questions;
    if (first === undefined) return;
    const trip = new RequestScope(Math.max(...questions.map(({ scope }) => scope.deadline)));
    trip.owner = first.scope.owner;
    trip.trace = first.scope.trace;
    trip.batch = {};
    this.#underWay++;
    void Promise.all(questions.map(({ send }) => send(trip))).then(() => {
      this.#underWay--;
      this.#prepare();
    });
    this.#prepare();
  }

  /** Questions of the next trip: one of each owner in turn. */
  #takeNext(): readonly Question[] {
    const questions: Question[] = [];
    while (questions.length < MAX_QUESTIONS) {
      const [next] = this.#waiting;
      if (next === undefined) break;
      const [owner, own] = next;
      const question = own.shift();
      this.#waiting.delete(owner);
      if (own.length > 0) this.#waiting.set(owner, own);
      if (question?.isWanted() === true) questions.push(question);
      else question?.drop();
    }
    return questions;
  }
}
