import type { PromiseOrValue } from '../../packages/ethereum/primitives/promise-or-value.ts';
import type { Call, Notification } from '../rpc/envelope.ts';
import { RpcError } from '../rpc/errors.ts';
import type { BodyContext } from './body-context.ts';
import type { CallResponse } from './running-call.ts';

/**
 * A step on the way of each call: a single call, an item of a batch, or a call that runs in a group. Steps get three parameters instead of one object,
 * because a fast call would spend a tenth of its allocations on the object. A step never throws or rejects.
 */
export type CallStep = {
  /**
   * Runs before the call.
   * @param now current time on the clock of `performance.now()`
   * @returns the refusal of the call; undefined if the call goes on
   */
  readonly begin?: (
    call: Call | Notification,
    context: BodyContext,
    now: number,
  ) => PromiseOrValue<RpcError | undefined>;
  /**
   * Runs when a call that `begin` let pass has its response, or was refused by a later step.
   * @param startedAt start time of the call on the clock of `performance.now()`
   */
  readonly end?: (
    call: Call | Notification,
    context: BodyContext,
    response: CallResponse,
    startedAt: number,
  ) => void;
};

/** The list of steps, from the outside to the inside; the network slot and the dispatch of the call are inside of all of them. */
export class CallSteps {
  readonly #steps: readonly CallStep[];

  constructor(steps: readonly CallStep[]) {
    this.#steps = steps;
  }

  /**
   * Begins a call.
   * @returns the refusal, which the steps outside of the refusing one have seen; undefined if the call is to be dispatched, and `end` called then
   */
  begin(
    call: Call | Notification,
    context: BodyContext,
    now: number,
    from: number = 0,
  ): PromiseOrValue<RpcError | undefined> {
    for (let at = from; at < this.#steps.length; at++) {
      const refusal = (this.#steps[at] as CallStep).begin?.(call, context, now);
      if (refusal === undefined) continue;
      if (refusal instanceof RpcError) return this.#refuse(call, context, refusal, now, at);
      return this.#waitFor(refusal, call, context, now, at);
    }
    return undefined;
  }

  /** Goes on when a step has decided. A closure in `begin` would cost each call a context in the heap. */
  #waitFor(
    refusal: Promise<RpcError | undefined>,
    call: Call | Notification,
    context: BodyContext,
    now: number,
    at: number,
  ): Promise<RpcError | undefined> {
    return refusal.then((found) =>
      found === undefined
        ? this.begin(call, context, performance.now(), at + 1)
        : this.#refuse(call, context, found, now, at),
    );
  }

  /** Ends a call that has begun, innermost step first. */
  end(
    call: Call | Notification,
    context: BodyContext,
    response: CallResponse,
    startedAt: number,
    outside: number = this.#steps.length,
  ): void {
    for (let at = outside - 1; at >= 0; at--)
      (this.#steps[at] as CallStep).end?.(call, context, response, startedAt);
  }

  #refuse(
    call: Call | Notification,
    context: BodyContext,
    refusal: RpcError,
    now: number,
    at: number,
  ): RpcError {
    this.end(call, context, refusal, now, at);
    return refusal;
  }
}
