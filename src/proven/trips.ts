import { RequestScope } from '../util/request-scope.ts';

/** Trips under way at which what comes next waits until one of them is over, and for how long at most, milliseconds. */
const MAX_UNDER_WAY = 2;
const MAX_WAIT_MS = 25;
/** Questions of one trip. */
const MAX_QUESTIONS = 128;

type Question = {
  readonly scope: RequestScope;
  readonly send: (trip: RequestScope) => Promise<void>;
};

/**
 * Questions to nodes that come in the same turn of the event loop, or while others are under way, make one trip: they have one scope, so that
 * the pool puts them into common requests, as it does with the items of a client's batch.
 */
export class Trips {
  readonly #waiting: Question[] = [];
  #underWay = 0;
  #timer: NodeJS.Timeout | undefined;
  #isLeaving = false;

  /**
   * Asks with the next trip.
   * @param scope the caller's; the trip has as much time as the one that has most, and is not aborted with any
   * @param send asks with the trip's scope
   */
  ask<T>(scope: RequestScope, send: (trip: RequestScope) => Promise<T>): Promise<T> {
    scope.hasAskedNode = true;
    return new Promise((resolve, reject) => {
      this.#waiting.push({ scope, send: (trip) => send(trip).then(resolve, reject) });
      this.#prepare();
    });
  }

  #prepare(): void {
    if (this.#isLeaving || this.#waiting.length === 0) return;
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
    const questions = this.#waiting.splice(0, MAX_QUESTIONS);
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
}
