import type { PromiseOrValue } from '../primitives/promise-or-value.ts';
import { RpcError } from '../rpc/errors.ts';
import type { BodyContext } from './body-context.ts';

/**
 * Does the work of a call when its key has a turn on the network; `overloaded` when it will not have one in time. What is done at once
 * takes no turn.
 */
export function takeTurn<A, T>(
  context: BodyContext,
  argument: A,
  now: number,
  work: (argument: A, context: BodyContext, now: number) => PromiseOrValue<T>,
): PromiseOrValue<T | RpcError> {
  const { session, scope } = context;
  const { turns } = session.network;
  if (turns === undefined) return work(argument, context, now);
  const owner = session.principal.id;
  if (turns.hasRoom(owner)) {
    const outcome = work(argument, context, now);
    if (!(outcome instanceof Promise)) return outcome;
    turns.take(owner);
    return outcome.finally(() => turns.leave(owner));
  }
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
