import { ChainError } from '../../chain/errors.ts';
import type { JsonResult } from '../../primitives/json-result.ts';
import type { RequestScope } from '../../util/request-scope.ts';
import { UpstreamFault } from '../fault.ts';
import type { Exchange, Handler, Policy } from '../routed-call.ts';

/** Questions in flight at the same time that may be shared; further ones fly alone. */
const MAX_FLIGHTS = 10_000;

/** One call under way, and those who wait for it. */
type Flight = {
  readonly outcome: Promise<JsonResult>;
  /** The deadline of the one who started it. */
  readonly deadline: number;
  waiting: number;
  /** Nobody waits any more. */
  readonly giveUp: () => void;
};

/**
 * Identical questions that are asked at the same time are asked once. The shared call is given up when all who wait
 * for it have gone, and who has more time than the one who started it does not suffer from its deadline. A result
 * that is too large to be held cannot be shared: everyone but the first asks again.
 */
export function shareFlights(): Policy {
  const flights = new Map<string, Flight>();
  return (next) => {
    const share: Handler = (exchange) => {
      const name = nameQuestion(exchange);
      const flight = name === undefined ? undefined : flights.get(name);
      if (name === undefined || (flight === undefined && flights.size >= MAX_FLIGHTS)) return next(exchange);
      if (flight === undefined) return join(start(flights, name, next, exchange), exchange.scope, true);
      return join(flight, exchange.scope, false).then(
        (result) => (typeof result === 'string' ? result : next(exchange)),
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

function nameQuestion({ call: { key, sharedAs } }: Exchange): string | undefined {
  return key === undefined ? sharedAs : `${key.blockHash}:${key.question}`;
}

function start(flights: Map<string, Flight>, name: string, next: Handler, exchange: Exchange): Flight {
  const scope = exchange.scope.derive({ isDetached: true });
  const land = (): void => {
    if (flights.get(name) === flight) flights.delete(name);
  };
  const outcome = next({ ...exchange, scope });
  const giveUp = (): void => {
    // Whoever comes now starts anew instead of waiting for what is being given up.
    land();
    scope.abort();
  };
  const flight: Flight = { outcome, deadline: scope.deadline, waiting: 0, giveUp };
  flights.set(name, flight);
  outcome.then(land, land);
  return flight;
}

/** Waits until the call is done or the caller has gone. */
function join(flight: Flight, { signal }: RequestScope, isLeader: boolean): Promise<JsonResult> {
  flight.waiting++;
  return new Promise((resolve, reject) => {
    let isHere = true;
    const leave = (): void => {
      isHere = false;
      signal.removeEventListener('abort', leave);
      if (--flight.waiting === 0) flight.giveUp();
      reject(new UpstreamFault('aborted', 'the caller has gone'));
    };
    const settle = (deliver: () => void): void => {
      if (!isHere) return;
      flight.waiting--;
      signal.removeEventListener('abort', leave);
      deliver();
    };
    if (signal.aborted) leave();
    else signal.addEventListener('abort', leave);
    flight.outcome.then(
      (result) => {
        if (isLeader && !isHere && typeof result !== 'string') result.cancel();
        settle(() => resolve(result));
      },
      (error: unknown) => settle(() => reject(error)),
    );
  });
}

function isTimeLimit(error: unknown): boolean {
  if (error instanceof UpstreamFault) return error.kind === 'timeout' || error.kind === 'aborted';
  return error instanceof ChainError && (error.kind === 'timeout' || error.kind === 'aborted');
}
