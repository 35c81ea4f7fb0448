import type { Eventual } from '../primitives/eventual.ts';
import { RpcError } from '../rpc/errors.ts';
import type { BodyContext } from './dispatcher.ts';

/** Does the work of a call when it is its turn on its network, or says that there is too much of it. */
export function takeTurn<T>(
  { session, scope }: BodyContext,
  work: () => Eventual<T>,
): Eventual<T | RpcError> {
  const { network, principal } = session;
  const { turns } = network;
  if (turns === undefined) return work();
  const turn = turns.enter(principal.id, scope);
  if (turn === true) return endTurn(work(), () => turns.leave());
  if (turn === false) return new RpcError('overloaded');
  return turn.then((isTurn) =>
    isTurn ? endTurn(work(), () => turns.leave()) : new RpcError(scope.aborted ? 'cancelled' : 'overloaded'),
  );
}

/** What is there at once takes no time from anybody. Work never throws or rejects. */
function endTurn<T>(outcome: Eventual<T>, leave: () => void): Eventual<T> {
  if (!(outcome instanceof Promise)) {
    leave();
    return outcome;
  }
  return outcome.finally(leave);
}
