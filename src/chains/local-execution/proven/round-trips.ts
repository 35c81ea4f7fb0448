import { ChainError } from '../../../chain/errors.ts';
import { RequestScope } from '../../../util/request-scope.ts';

/**
 * Maximum number of in-flight round trips per owner. Requests that have waited for `MAX_WAIT_MS` (milliseconds) are sent even if this maximum is
 * reached.
 */
const MAX_UNDER_WAY = 2;
const MAX_WAIT_MS = 25;
/**
 * Maximum number of requests per round trip. A node answers all requests of a batch together; the gateway reads the answers without a pause.
 */
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
 * Combines requests to nodes into round trips. Requests of one turn of the event loop share a round trip and its scope. Requests that wait for a
 * round trip to end share the next one. The node pool batches the requests of a round trip if the node accepts batches. Each owner has separate round
 * trips, so no owner waits for the requests of another.
 */
export class RoundTrips {
  readonly #lines = new Map<string | undefined, Line>();

  /**
   * Sends a request with the next round trip.
   * @param scope the caller's scope; the round trip has the latest deadline of its callers, and does not end when a caller disconnects
   * @param send sends the request with the scope of the round trip
   * @param isWanted called when the round trip begins; returns whether a caller still waits, so that the request must be sent
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
      const { deadline, limitMs } = requests.reduce(
        (latest, { scope }) => (scope.deadline > latest.deadline ? scope : latest),
        first.scope,
      );
      const roundTrip = new RequestScope(deadline, undefined, performance.now(), limitMs);
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

/** Removes and returns the requests for the next round trip, oldest first; drops requests that are no longer wanted. */
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
