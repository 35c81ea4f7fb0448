import { continueWith, type PromiseOrValue } from '../primitives/promise-or-value.ts';
import { RpcError } from '../rpc/errors.ts';
import type { FairQueue } from '../util/fair-queue.ts';
import type { BodyContext } from './body-context.ts';

type Work<A, T> = (argument: A, context: BodyContext, now: number) => PromiseOrValue<T | RpcError>;

/** Concludes an outcome or a refusal within the promise that releases the slot. */
type Conclude<A, T, U> = (outcome: T | RpcError, argument: A, context: BodyContext, now: number) => U;

/**
 * Runs the work of a call when its key has a network slot, and concludes it; `overloaded` if there is none in time.
 * Synchronous work takes no slot and allocates nothing here.
 * @throws errors of the work, synchronously or by rejection
 */
export function takeTurn<A, T, U>(
  context: BodyContext,
  argument: A,
  now: number,
  work: Work<A, T>,
  conclude: Conclude<A, T, U>,
): PromiseOrValue<U> {
  const { heldTurns } = context;
  const { turns } = context.session.network;
  const isHeld = heldTurns !== undefined && !heldTurns.isEmpty;
  if (!isHeld && turns?.hasRoom(context.session.principal.id) === false) {
    const outcome = workInTurn(turns, context, argument, work);
    return continueWith(outcome, (settled) => conclude(settled, argument, context, now));
  }
  const outcome = work(argument, context, now);
  if (!(outcome instanceof Promise)) return conclude(outcome, argument, context, now);
  if (turns === undefined) return outcome.then((settled) => conclude(settled, argument, context, now));
  const owner = context.session.principal.id;
  if (isHeld) heldTurns.handOn();
  else turns.take(owner);
  return outcome.then(
    (settled) => {
      turns.leave(owner);
      return conclude(settled, argument, context, now);
    },
    (error: unknown) => {
      turns.leave(owner);
      throw error;
    },
  );
}

/** Runs the work once a slot is free. */
function workInTurn<A, T>(
  turns: FairQueue,
  context: BodyContext,
  argument: A,
  work: Work<A, T>,
): PromiseOrValue<T | RpcError> {
  const { session, scope } = context;
  const owner = session.principal.id;
  const turn = turns.wait(owner, scope);
  if (turn === false) return new RpcError('overloaded', 'network.calls');
  return turn.then(async (isTurn) => {
    if (!isTurn)
      return scope.aborted ? new RpcError('cancelled') : new RpcError('overloaded', 'network.calls');
    try {
      return await work(argument, context, performance.now());
    } finally {
      turns.leave(owner);
    }
  });
}
