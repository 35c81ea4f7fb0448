import type { Eventual } from '../primitives/eventual.ts';
import { RpcError } from '../rpc/errors.ts';
import type { FairQueue } from '../util/fair-queue.ts';
import type { BodyContext } from './body-context.ts';

/** Does the work of a call when it is its turn on its network, or says that there is too much of it. */
export function takeTurn<A, T>(
  context: BodyContext,
  argument: A,
  now: number,
  work: (argument: A, context: BodyContext, now: number) => Eventual<T>,
): Eventual<T | RpcError> {
  const { session, scope } = context;
  const { turns } = session.network;
  if (turns === undefined) return work(argument, context, now);
  const turn = turns.enter(session.principal.id, scope);
  if (turn === true) return endTurn(() => work(argument, context, now), turns);
  if (turn === false) return new RpcError('overloaded');
  return turn.then((isTurn) =>
    isTurn
      ? endTurn(() => work(argument, context, performance.now()), turns)
      : new RpcError(scope.aborted ? 'cancelled' : 'overloaded'),
  );
}

/** What is there at once takes no time from anybody. */
function endTurn<T>(work: () => Eventual<T>, turns: FairQueue): Eventual<T> {
  let outcome: Eventual<T>;
  try {
    outcome = work();
  } catch (error) {
    turns.leave();
    throw error;
  }
  if (outcome instanceof Promise) return outcome.finally(() => turns.leave());
  turns.leave();
  return outcome;
}
