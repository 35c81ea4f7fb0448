import { ChainError } from '../chain/errors.ts';
import { RequestScope } from '../util/request-scope.ts';

/** Trips of one owner under way at which what comes next waits until one of them is over, and for how long at most, milliseconds. */
const MAX_UNDER_WAY = 2;
const MAX_WAIT_MS = 25;
/** Questions of one trip: a node answers all of them together, and all their answers are read in one piece. */
const MAX_QUESTIONS = 64;

type Question = {
  readonly scope: RequestScope;
  readonly send: (trip: RequestScope) => Promise<void>;
  readonly isWanted: () => boolean;
  readonly drop: () => void;
};

/** The questions of one owner, and its trips. */
type Line = {
  /** Oldest first. */
  readonly waiting: Question[];
  underWay: number;
  timer: NodeJS.Timeout | undefined;
  isLeaving: boolean;
};

/**
 * Questions to nodes that come in the same turn of the event loop, or while others are under way, make one trip: they have one scope, so that
 * the pool puts them into common requests, as it does with the items of a client's batch. Each owner has trips of its own: none waits for what another one asks.
 */
export class Trips {
  readonly #lines = new Map<string | undefined, Line>();

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

/** Questions of the next trip, oldest first. */
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
