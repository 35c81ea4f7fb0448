import type { CallScope } from '../../chain/chain.ts';
import { ChainError } from '../../chain/errors.ts';
import type { JsonResult } from '../../primitives/json-result.ts';
import { UpstreamFault } from '../fault.ts';
import type { Exchange, Handler, Policy } from '../routed-call.ts';

/** Questions in flight at the same time that may be shared; further ones fly alone. */
const MAX_FLIGHTS = 10_000;

/** One call under way, and those who wait for it. */
type Flight = {
  readonly outcome: Promise<JsonResult>;
  readonly leader: CallScope;
  waiting: number;
  readonly controller: AbortController;
};

/**
 * Identical questions that are asked at the same time are asked once. The shared call is given up when all who wait
 * for it have gone, and who has more time than the one who started it does not suffer from its deadline. A result
 * that is too large to be held cannot be shared: everyone but the first asks again.
 */
export function shareFlights(): Policy {
  const flights = new Map<string, Flight>();
  return (next) => async (exchange) => {
    const { key, sharedAs } = exchange.call;
    const name = key === undefined ? sharedAs : `${key.blockHash}:${key.question}`;
    if (name === undefined) return next(exchange);
    const flight = flights.get(name);
    if (flight === undefined) {
      if (flights.size >= MAX_FLIGHTS) return next(exchange);
      const started = start(next, exchange);
      flights.set(name, started);
      const land = (): void => void flights.delete(name);
      started.outcome.then(land, land);
      return join(started, exchange.scope, true);
    }
    try {
      const result = await join(flight, exchange.scope, false);
      return typeof result === 'string' ? result : await next(exchange);
    } catch (error) {
      const isLeadersLimit = isTimeLimit(error) && flight.leader.deadline < exchange.scope.deadline;
      if (isLeadersLimit && performance.now() < exchange.scope.deadline) return next(exchange);
      throw error;
    }
  };
}

function start(next: Handler, exchange: Exchange): Flight {
  const controller = new AbortController();
  const { deadline, limitMs, owner } = exchange.scope;
  const scope: CallScope = {
    deadline,
    ...(limitMs !== undefined && { limitMs }),
    owner,
    signal: controller.signal,
  };
  return { outcome: next({ ...exchange, scope }), leader: scope, waiting: 0, controller };
}

/** Waits until the call is done or the caller has gone. */
function join(flight: Flight, { signal }: CallScope, isLeader: boolean): Promise<JsonResult> {
  flight.waiting++;
  return new Promise((resolve, reject) => {
    let isHere = true;
    const leave = (): void => {
      isHere = false;
      if (--flight.waiting === 0) flight.controller.abort();
      reject(new UpstreamFault('aborted', 'the caller has gone'));
    };
    const settle = (deliver: () => void): void => {
      if (!isHere) return;
      flight.waiting--;
      signal.removeEventListener('abort', leave);
      deliver();
    };
    if (signal.aborted) leave();
    else signal.addEventListener('abort', leave, { once: true });
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
