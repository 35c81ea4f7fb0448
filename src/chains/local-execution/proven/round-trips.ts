import { ChainError } from '../../../chain/errors.ts';
import { RequestScope } from '../../../util/request-scope.ts';

/** Maximum number of in-flight round trips per owner, and the longest wait of new requests for one of them to end, milliseconds. */
const MAX_UNDER_WAY = 2;
const MAX_WAIT_MS = 25;
/** Maximum number of requests per round trip: a node answers all of them together, and the answers are read in one piece. */
const MAX_REQUESTS = 64;

type Request = {
  readonly scope: RequestScope;
  readonly send: (roundTrip: RequestScope) => Promise<void>;
  readonly isWanted: () => boolean;
  readonly drop: () => void;
};

/** Requests and round trips of one owner. */
type Line = {
  /** Waiting requests, oldest first. */
  readonly waiting: Request[];
  underWay: number;
  timer: NodeJS.Timeout | undefined;
  isLeaving: boolean;
};

/**
 * Combines requests to nodes into round trips. Requests of the same turn of the event loop, or that arrive while others are in flight, share a round
 * trip and its scope. The pool therefore batches them like the items of a client's batch. Each owner has its own round trips, so no owner waits for
 * the requests of another.
 */
export class RoundTrips {
  readonly #lines = new Map<string | undefined, Line>();

  /**
   * Sends a request with the next round trip.
   * @param scope the caller's scope; the round trip has the latest deadline of all callers, and is not aborted by any of them
   * @param send sends the request with the scope of the round trip
   * @param isWanted returns whether a caller still waits when the round trip begins; if not, the request is not sent
   * @throws the error of `send`; ChainError `aborted` if the request is no longer wanted
   */
  ask<T>(
    scope: RequestScope,
    send: (roundTrip: RequestScope) => Promise<T>,
    isWanted: () => boolean = () => !scope.aborted,
  ): Promise<T> {
    scope.hasCalledNode = true;
    return new Promise((resolve, reject) => {
      const { owner } = scope;
      let line = this.#lines.get(owner);
      if (line === undefined) {
        line = { waiting: [], underWay: 0, timer: undefined, isLeaving: false };
        this.#lines.set(owner, line);
      }
      line.waiting.push({
        scope,
        send: (roundTrip) => send(roundTrip).then(resolve, reject),
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
    const requests = takeNext(line);
    const [first] = requests;
    if (first !== undefined) {
      const roundTrip = new RequestScope(Math.max(...requests.map(({ scope }) => scope.deadline)));
      roundTrip.owner = owner;
      roundTrip.trace = first.scope.trace;
      roundTrip.batch = {};
      line.underWay++;
      void Promise.all(requests.map(({ send }) => send(roundTrip))).then(() => {
        line.underWay--;
        this.#prepare(owner, line);
      });
    }
    this.#prepare(owner, line);
  }
}

/** Takes the requests for the next round trip, oldest first. */
function takeNext({ waiting }: Line): readonly Request[] {
  const requests: Request[] = [];
  let taken = 0;
  while (requests.length < MAX_REQUESTS && taken < waiting.length) {
    const query = waiting[taken++] as Request;
    if (query.isWanted()) requests.push(query);
    else query.drop();
  }
  waiting.splice(0, taken);
  return requests;
}
