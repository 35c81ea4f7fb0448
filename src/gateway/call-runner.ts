import type { JsonResult } from '../../packages/ethereum/primitives/json-result.ts';
import { continueWith, type PromiseOrValue } from '../../packages/ethereum/primitives/promise-or-value.ts';
import type { MethodContext } from '../methods/method-context.ts';
import type { BatchItem, Call, Notification } from '../rpc/envelope.ts';
import { RpcError } from '../rpc/errors.ts';
import type { Method } from '../rpc/method.ts';
import { encodeSmallError } from '../rpc/response.ts';
import type { SharedBudget } from '../util/shared-budget.ts';
import type { Answer } from './answer.ts';
import type { BodyContext } from './body-context.ts';
import type { CallGuard } from './call-guard.ts';
import type { CallWatch } from './call-watch.ts';
import type { Dispatcher } from './dispatcher.ts';
import type { CallResponse } from './running-call.ts';
import { takeSlot } from './take-slot.ts';

export type CallRunnerParts = {
  readonly guard: CallGuard;
  readonly dispatcher: Dispatcher;
  readonly watch: CallWatch | undefined;
  /** Budget for buffered responses. */
  readonly reservedAnswers: SharedBudget;
  /** Minimum free bytes of that budget for running a call: with less, the answer could not be buffered. */
  readonly leastRoom: number;
  /** Builds the whole answer to a single call from its response or from its refusal. */
  readonly answerAlone: (response: CallResponse, item: Call | Notification, context: BodyContext) => Answer;
};

/** Builds the result from a response, or from the refusal of a call. */
type Conclude<T> = (
  response: CallResponse,
  item: Call | Notification,
  context: BodyContext,
  now: number,
) => T;

/**
 * Runs the items of a body: guard, network slot, dispatch. Refusals are reported and cost nothing. No closures are created per call, because they
 * would be a tenth of its allocations.
 */
export class CallRunner {
  readonly #guard: CallGuard;
  readonly #dispatcher: Dispatcher;
  readonly #watch: CallWatch | undefined;
  readonly #reservedAnswers: SharedBudget;
  readonly #leastRoom: number;
  readonly #dispatch: (
    item: Call | Notification,
    context: BodyContext,
    now: number,
  ) => PromiseOrValue<CallResponse>;
  readonly #answerAlone: CallRunnerParts['answerAlone'];
  readonly #concludeCall: Conclude<Answer>;
  readonly #concludeItem: Conclude<JsonResult | undefined>;

  constructor({ guard, dispatcher, watch, reservedAnswers, leastRoom, answerAlone }: CallRunnerParts) {
    this.#guard = guard;
    this.#dispatcher = dispatcher;
    this.#watch = watch;
    this.#reservedAnswers = reservedAnswers;
    this.#leastRoom = leastRoom;
    this.#answerAlone = answerAlone;
    this.#dispatch = (item, context, now) =>
      item.kind === 'call' ? dispatcher.dispatch(item, context, now) : dispatcher.notify(item, context, now);
    this.#concludeCall = (response, item, context, now) => {
      if (response instanceof RpcError) this.#noteRefusal(response, item, context, now);
      return answerAlone(response, item, context);
    };
    this.#concludeItem = (response, item, context, now) => {
      if (!(response instanceof RpcError)) return response;
      this.#noteRefusal(response, item, context, now);
      return encodeRefusal(item, response);
    };
  }

  /** Runs an item of a batch and returns its response. */
  runItem(item: BatchItem, context: BodyContext, now: number): PromiseOrValue<JsonResult | undefined> {
    if (item.kind === 'malformed') return this.#refuseMalformed(item, context, now);
    const refused = this.#refuseFull(item, context, now);
    if (refused !== undefined) return encodeRefusal(item, refused);
    return this.#guardAndRun(item, context, now, this.#concludeItem);
  }

  /** Runs a single call and returns its answer. `now` is the current time on the clock of `performance.now()`. */
  run(item: Call | Notification, context: BodyContext, now: number): PromiseOrValue<Answer> {
    const refused = this.#refuseFull(item, context, now);
    if (refused !== undefined) return this.#answerAlone(refused, item, context);
    return this.#guardAndRun(item, context, now, this.#concludeCall);
  }

  /** Returns the reason to refuse a call; undefined if the call is allowed, in which case it is charged. */
  check(item: Call | Notification, context: BodyContext, now: number): PromiseOrValue<RpcError | undefined> {
    return this.#guard.check(item, context.session, now, context.prepaid);
  }

  /**
   * Runs an item after its check and returns its response.
   * @param problem outcome of `check`
   */
  runChecked(
    item: Call,
    problem: PromiseOrValue<RpcError | undefined>,
    context: BodyContext,
    now: number,
  ): PromiseOrValue<JsonResult | undefined> {
    return this.#runChecked(item, problem, context, now, this.#concludeItem);
  }

  /** Builds the response of an item from a response of `runMany`. */
  concludeItem(
    response: CallResponse,
    item: Call,
    context: BodyContext,
    now: number,
  ): JsonResult | undefined {
    return this.#concludeItem(response, item, context, now);
  }

  /** Runs checked calls of one method as a group, like `Dispatcher.dispatchMany`. */
  runMany(
    method: Method<MethodContext>,
    calls: readonly Call[],
    context: BodyContext,
    now: number,
  ): PromiseOrValue<readonly CallResponse[]> | undefined {
    return this.#dispatcher.dispatchMany(method, calls, context, now);
  }

  /** Whether the budget for responses has room for another call. */
  hasRoom({ scope }: BodyContext): boolean {
    const reservedAnswers = this.#reservedAnswers;
    return reservedAnswers.used === 0 || reservedAnswers.hasRoom(scope.owner ?? '', this.#leastRoom);
  }

  /** Returns the refusal of a call if the budget for responses has no room. */
  #refuseFull(item: Call | Notification, context: BodyContext, now: number): RpcError | undefined {
    if (this.hasRoom(context)) return undefined;
    const refused = new RpcError('overloaded', 'answers.bytes');
    this.#watch?.noteRefused(item.method, context, refused, now);
    return refused;
  }

  #guardAndRun<U>(
    item: Call | Notification,
    context: BodyContext,
    now: number,
    conclude: Conclude<U>,
  ): PromiseOrValue<U> {
    const problem = this.check(item, context, now);
    return this.#runChecked(item, problem, context, now, conclude);
  }

  #runChecked<U>(
    item: Call | Notification,
    problem: PromiseOrValue<RpcError | undefined>,
    context: BodyContext,
    now: number,
    conclude: Conclude<U>,
  ): PromiseOrValue<U> {
    if (problem === undefined) return takeSlot(context, item, now, this.#dispatch, conclude);
    return continueWith(problem, (found) =>
      found === undefined
        ? takeSlot(context, item, performance.now(), this.#dispatch, conclude)
        : conclude(found, item, context, now),
    );
  }

  /** Charges input that is not a call. Resolves to the error of the input, or to the limit error if the key cannot pay for the reading. */
  chargeMalformed(error: RpcError, context: BodyContext, now: number): PromiseOrValue<RpcError> {
    const { session, report, prepaid } = context;
    return continueWith(this.#guard.chargeMalformed(session, now, prepaid), (problem) => {
      this.#watch?.noteMalformed(session, problem ?? error, now, report);
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

  /** Reports a refusal, and refunds a call that was not run. */
  #noteRefusal(refusal: RpcError, item: Call | Notification, context: BodyContext, now: number): void {
    // The dispatcher has already reported the outcome of calls that it ran.
    if (refusal.isOutcome) return;
    if (refusal.rowName === 'overloaded') this.#guard.giveBack(item, context.session, context.prepaid);
    this.#watch?.noteRefused(item.method, context, refusal, now);
  }
}

/** Encodes the response to a refused item of a batch. */
function encodeRefusal(item: Call | Notification, refusal: RpcError): JsonResult | undefined {
  return item.kind === 'call' ? encodeSmallError(item.id, refusal) : undefined;
}
