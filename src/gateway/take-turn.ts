import type { PromiseOrValue } from '../primitives/promise-or-value.ts';
import { RpcError } from '../rpc/errors.ts';
import type { FairQueue } from '../util/fair-queue.ts';
import type { BodyContext } from './body-context.ts';

type Work<A, T> = (argument: A, context: BodyContext, now: number) => PromiseOrValue<T>;

/**
 * Does the work of a call when its key has a turn on the network; `overloaded` when it will not have one in time. What is done at once
 * takes no turn, and allocates nothing here.
 */
export function takeTurn<A, T>(
  context: BodyContext,
  argument: A,
  now: number,
  work: Work<A, T>,
): PromiseOrValue<T | RpcError> {
  const { turns } = context.session.network;
  if (turns?.hasRoom(context.session.principal.id) === false)
    return workInTurn(turns, context, argument, work);
  const outcome = work(argument, context, now);
  if (turns === undefined || !(outcome instanceof Promise)) return outcome;
  return holdTurn(turns, context.session.principal.id, outcome);
}

/** A turn for work that has begun. */
function holdTurn<T>(turns: FairQueue, owner: string, work: Promise<T>): Promise<T> {
  turns.take(owner);
  return work.then(
    (result) => {
      turns.leave(owner);
      return result;
    },
    (error: unknown) => {
      turns.leave(owner);
      throw error;
    },
  );
}

/** The work, when there is a turn for it. */
function workInTurn<A, T>(
  turns: FairQueue,
  context: BodyContext,
  argument: A,
  work: Work<A, T>,
): PromiseOrValue<T | RpcError> {
  const { session, scope } = context;
  const owner = session.principal.id;
  const turn = turns.wait(owner, scope);
  if (turn === false) return new RpcError('overloaded');
  return turn.then(async (isTurn) => {
    if (!isTurn) return new RpcError(scope.aborted ? 'cancelled' : 'overloaded');
    try {
      return await work(argument, context, performance.now());
    } finally {
      turns.leave(owner);
    }
  });
}
