import { continueWith, type PromiseOrValue } from '../../packages/ethereum/primitives/promise-or-value.ts';
import { RpcError } from '../rpc/errors.ts';
import type { FairQueue } from '../util/fair-queue.ts';
import type { BodyContext } from './body-context.ts';

type Work<A, T> = (argument: A, context: BodyContext, now: number) => PromiseOrValue<T | RpcError>;

/**
 * Builds the result from the outcome of the work or from a refusal. Runs in the promise callback that releases the slot, so no other callback is
 * needed.
 */
type Conclude<A, T, U> = (outcome: T | RpcError, argument: A, context: BodyContext, now: number) => U;

/**
 * Runs the work of a call when its key has a network slot, and builds the result. If no slot is free in time, the outcome is `overloaded`. For
 * synchronous work, no slot is taken and no memory is allocated.
 * @throws errors of the work, synchronously or by rejection
 */
export function takeSlot<A, T, U>(
  context: BodyContext,
  argument: A,
  now: number,
  work: Work<A, T>,
  conclude: Conclude<A, T, U>,
): PromiseOrValue<U> {
  const { reservedSlots } = context;
  const { slots } = context.session.network;
  const isReserved = reservedSlots !== undefined && !reservedSlots.isEmpty;
  if (!isReserved && slots?.hasRoom(context.session.principal.id) === false) {
    const outcome = workInSlot(slots, context, argument, work);
    return continueWith(outcome, (completed) => conclude(completed, argument, context, now));
  }
  const outcome = work(argument, context, now);
  if (!(outcome instanceof Promise)) return conclude(outcome, argument, context, now);
  if (slots === undefined) return outcome.then((completed) => conclude(completed, argument, context, now));
  const owner = context.session.principal.id;
  if (isReserved) reservedSlots.handOn();
  else slots.take(owner);
  return outcome.then(
    (completed) => {
      slots.leave(owner);
      return conclude(completed, argument, context, now);
    },
    (error: unknown) => {
      slots.leave(owner);
      throw error;
    },
  );
}

/** Runs the work once a slot is free. */
function workInSlot<A, T>(
  slots: FairQueue,
  context: BodyContext,
  argument: A,
  work: Work<A, T>,
): PromiseOrValue<T | RpcError> {
  const { session, scope } = context;
  const owner = session.principal.id;
  const turn = slots.wait(owner, scope);
  if (turn === false) return new RpcError('overloaded', 'network.calls');
  return turn.then(async (hasSlot) => {
    if (!hasSlot)
      return scope.aborted ? new RpcError('cancelled') : new RpcError('overloaded', 'network.calls');
    try {
      return await work(argument, context, performance.now());
    } finally {
      slots.leave(owner);
    }
  });
}
