import type { PromiseOrValue } from '../../packages/ethereum/primitives/promise-or-value.ts';
import type { Call, Notification } from '../rpc/envelope.ts';
import { RpcError } from '../rpc/errors.ts';
import type { BodyContext } from './body-context.ts';
import type { CallResponse } from './running-call.ts';

/**
 * Interceptor that runs before and after every call: a single call, an item of a batch, or a call that runs in a group. A step gets its parameters
 * separately: an object that contains them would be a tenth of the allocations of a fast call. A step never throws or rejects.
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
   * Runs when the response to the call is ready, or when a later step has refused the call. Does not run if `begin` of this step refused the call.
   * @param startedAt start time of the call on the clock of `performance.now()`
   */
  readonly end?: (
    call: Call | Notification,
    context: BodyContext,
    response: CallResponse,
    startedAt: number,
  ) => void;
};

/** Steps of a call in order, outermost first. After the last step, the call waits for its network slot and is dispatched. */
export class CallSteps {
  readonly #steps: readonly CallStep[];

  constructor(steps: readonly CallStep[]) {
    this.#steps = steps;
  }

  /**
   * Begins a call.
   * @returns the refusal, after `end` of the earlier steps has run; undefined if the caller must dispatch the call and then call `end`
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

  /**
   * Waits for a step that returned a promise, and then continues with the next step. A separate method, because a closure in `begin` would allocate a
   * context for every call.
   */
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
