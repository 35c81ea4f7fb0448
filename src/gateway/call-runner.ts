import type { JsonResult } from '../../packages/ethereum/primitives/json-result.ts';
import { continueWith, type PromiseOrValue } from '../../packages/ethereum/primitives/promise-or-value.ts';
import type { MethodContext } from '../methods/method-context.ts';
import type { BatchItem, Call, Notification } from '../rpc/envelope.ts';
import { RpcError } from '../rpc/errors.ts';
import type { Method } from '../rpc/method.ts';
import { encodeSmallError } from '../rpc/response.ts';
import type { Answer } from './answer.ts';
import type { BodyContext } from './body-context.ts';
import type { CallGuard } from './call-guard.ts';
import type { CallSteps } from './call-steps.ts';
import type { CallWatch } from './call-watch.ts';
import type { Dispatcher } from './dispatcher.ts';
import type { CallResponse } from './running-call.ts';
import { takeSlot } from './take-slot.ts';

/** Builds the result from a response, or from the refusal of a call. */
type Encode<T> = (response: CallResponse, item: Call | Notification, context: BodyContext) => T;

export type CallRunnerParts = {
  readonly steps: CallSteps;
  readonly guard: CallGuard;
  readonly dispatcher: Dispatcher;
  readonly watch: CallWatch | undefined;
  /** Builds the whole answer to a single call. */
  readonly answerAlone: Encode<Answer>;
};

/**
 * Runs the items of a body: each passes its steps, waits for a network slot and is dispatched. No closure is created per call: closures would be a
 * tenth of all memory that a call allocates.
 */
export class CallRunner {
  readonly #parts: CallRunnerParts;
  readonly #dispatch: (
    item: Call | Notification,
    context: BodyContext,
    now: number,
  ) => PromiseOrValue<CallResponse>;
  readonly #endCall: Conclude<Answer>;
  readonly #endItem: Conclude<JsonResult | undefined>;

  constructor(parts: CallRunnerParts) {
    const { dispatcher, steps, answerAlone } = parts;
    const endWith =
      <T>(encode: Encode<T>): Conclude<T> =>
      (response, item, context, startedAt) => {
        steps.end(item, context, response, startedAt);
        return encode(response, item, context);
      };
    this.#parts = parts;
    this.#dispatch = (item, context, now) =>
      item.kind === 'call' ? dispatcher.dispatch(item, context, now) : dispatcher.notify(item, context, now);
    this.#endCall = endWith(answerAlone);
    this.#endItem = endWith(encodeItem);
  }

  /** Runs a single call and returns its answer. `now` is the current time on the clock of `performance.now()`. */
  run(item: Call | Notification, context: BodyContext, now: number): PromiseOrValue<Answer> {
    const refusal = this.begin(item, context, now);
    return this.#runBegun(item, refusal, context, now, this.#endCall, this.#parts.answerAlone);
  }

  /** Runs an item of a batch and returns its response. */
  runItem(item: BatchItem, context: BodyContext, now: number): PromiseOrValue<JsonResult | undefined> {
    if (item.kind === 'malformed') return this.#refuseMalformed(item, context, now);
    return this.runBegun(item, this.begin(item, context, now), context, now);
  }

  /** Runs the steps before a call. @returns the refusal of the call; undefined if the caller must call `runBegun` or `endItem` */
  begin(item: Call | Notification, context: BodyContext, now: number): PromiseOrValue<RpcError | undefined> {
    return this.#parts.steps.begin(item, context, now);
  }

  /**
   * Runs an item that has begun, and returns its response.
   * @param refusal outcome of `begin`
   */
  runBegun(
    item: Call | Notification,
    refusal: PromiseOrValue<RpcError | undefined>,
    context: BodyContext,
    now: number,
  ): PromiseOrValue<JsonResult | undefined> {
    return this.#runBegun(item, refusal, context, now, this.#endItem, encodeItem);
  }

  /** Ends an item that has begun, with a response of `runMany`. */
  endItem(
    response: CallResponse,
    item: Call,
    context: BodyContext,
    startedAt: number,
  ): JsonResult | undefined {
    return this.#endItem(response, item, context, startedAt);
  }

  /** Ends an item that has begun and is not run. */
  abandon(
    item: Call,
    refusal: PromiseOrValue<RpcError | undefined>,
    context: BodyContext,
    startedAt: number,
  ): void {
    void continueWith(refusal, (found) => {
      if (found === undefined) this.#parts.steps.end(item, context, undefined, startedAt);
    });
  }

  /** Dispatches calls of one method that have begun as a group, like `Dispatcher.dispatchMany`. */
  runMany(
    method: Method<MethodContext>,
    calls: readonly Call[],
    context: BodyContext,
    now: number,
  ): PromiseOrValue<readonly CallResponse[]> | undefined {
    return this.#parts.dispatcher.dispatchMany(method, calls, context, now);
  }

  #runBegun<U>(
    item: Call | Notification,
    refusal: PromiseOrValue<RpcError | undefined>,
    context: BodyContext,
    now: number,
    end: Conclude<U>,
    encode: Encode<U>,
  ): PromiseOrValue<U> {
    if (refusal === undefined) return takeSlot(context, item, now, this.#dispatch, end);
    return refusal instanceof Promise
      ? this.#runWhenBegun(item, refusal, context, end, encode)
      : encode(refusal, item, context);
  }

  #runWhenBegun<U>(
    item: Call | Notification,
    refusal: Promise<RpcError | undefined>,
    context: BodyContext,
    end: Conclude<U>,
    encode: Encode<U>,
  ): Promise<U> {
    return refusal.then((found) =>
      found === undefined
        ? takeSlot(context, item, performance.now(), this.#dispatch, end)
        : encode(found, item, context),
    );
  }

  /** Charges input that is not a call. Returns the error of the input, or a limit error if the key cannot pay. */
  chargeMalformed(error: RpcError, context: BodyContext, now: number): PromiseOrValue<RpcError> {
    const { guard, watch } = this.#parts;
    const { session, report, prepaid } = context;
    return continueWith(guard.chargeMalformed(session, now, prepaid), (problem) => {
      watch?.noteMalformed(session, problem ?? error, now, report);
      return problem ?? error;
    });
  }

  #refuseMalformed(
    { id, error }: Extract<BatchItem, { kind: 'malformed' }>,
    context: BodyContext,
    now: number,
  ): PromiseOrValue<JsonResult> {
    return continueWith(this.chargeMalformed(error, context, now), (found) => encodeSmallError(id, found));
  }
}

/** Runs the `end` of the steps after a dispatched call, and then encodes its response. */
type Conclude<T> = (
  response: CallResponse,
  item: Call | Notification,
  context: BodyContext,
  startedAt: number,
) => T;

/** Encodes the response to an item of a batch; undefined for a refused notification. */
function encodeItem(response: CallResponse, item: Call | Notification): JsonResult | undefined {
  if (!(response instanceof RpcError)) return response;
  return item.kind === 'call' ? encodeSmallError(item.id, response) : undefined;
}
