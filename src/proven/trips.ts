import { ChainError } from '../chain/errors.ts';
import { RequestScope } from '../util/request-scope.ts';

/** Cap on in-flight round trips per owner, beyond which new requests wait until one ends, and the longest wait, milliseconds. */
const MAX_UNDER_WAY = 2;
const MAX_WAIT_MS = 25;
/** Cap on requests per round trip: a node answers them together, and all answers are read in one piece. */
const MAX_QUESTIONS = 64;

type Question = {
  readonly scope: RequestScope;
  readonly send: (trip: RequestScope) => Promise<void>;
  readonly isWanted: () => boolean;
  readonly drop: () => void;
};

/** Requests of one owner, and its round trips. */
type Line = {
  /** Waiting requests, oldest first. */
  readonly waiting: Question[];
  underWay: number;
  timer: NodeJS.Timeout | undefined;
  isLeaving: boolean;
};

/**
 * Combines requests to nodes that come in the same turn of the event loop, or while others are in flight, into one round trip: they share a scope, so that
 * the pool batches them, as it does the items of a client's batch. Each owner has its own round trips: none waits for another owner's requests.
 */
export class Trips {
  readonly #lines = new Map<string | undefined, Line>();

  /**
   * Sends with the next round trip.
   * @param scope the caller's scope; the round trip has the latest deadline of all callers, and is not aborted with any
   * @param send sends with the round trip's scope
   * @param isWanted whether a caller still waits when the round trip begins: otherwise nothing is sent
   * @throws the error of `send`; ChainError `aborted` where the request is no longer wanted
   */
  ask<T>(
    scope: RequestScope,
    send: (trip: RequestScope) => Promise<T>,
    isWanted: () => boolean = () => !scope.aborted,
  ): Promise<T> {
    scope.hasAskedNode = true;
    return new Promise((resolve, reject) => {
      const { owner } = scope;
      let line = this.#lines.get(owner);
      if (line === undefined) {
        line = { waiting: [], underWay: 0, timer: undefined, isLeaving: false };
        this.#lines.set(owner, line);
      }
      line.waiting.push({
        scope,
        send: (trip) => send(trip).then(resolve, reject),
        isWanted,
        drop: () => reject(new ChainError('aborted', 'aborted')),
      });
      this.#prepare(owner, line);
    });
  }

  #prepare(owner: string | undefined, line: Line): void {
    if (line.isLeaving) return;
    if (line.waiting.length === 0) {
      if (line.underWay === 0) this.#lines.delete(owner);
    } else if (line.underWay < MAX_UNDER_WAY) {
      line.isLeaving = true;
      clearTimeout(line.timer);
      line.timer = undefined;
      setImmediate(() => this.#leave(owner, line));
    } else if (line.timer === undefined) {
      line.timer = setTimeout(() => this.#leave(owner, line), MAX_WAIT_MS);
    }
  }

  #leave(owner: string | undefined, line: Line): void {
    line.isLeaving = false;
    line.timer = undefined;
    const questions = takeNext(line);
    const [first] = questions;
    if (first !== undefined) {
      const trip = new RequestScope(Math.max(...questions.map(({ scope }) => scope.deadline)));
      trip.owner = owner;
      trip.trace = first.scope.trace;
      trip.batch = {};
      line.underWay++;
      void Promise.all(questions.map(({ send }) => send(trip))).then(() => {
        line.underWay--;
        this.#prepare(owner, line);
      });
    }
    this.#prepare(owner, line);
  }
}

/** Takes the requests of the next round trip, oldest first. */
function takeNext({ waiting }: Line): readonly Question[] {
  const questions: Question[] = [];
  let taken = 0;
  while (questions.length < MAX_QUESTIONS && taken < waiting.length) {
    const question = waiting[taken++] as Question;
    if (question.isWanted()) questions.push(question);
    else question.drop();
  }
  waiting.splice(0, taken);
  return questions;
}
