import type { MethodContext } from '../methods/method-context.ts';
import type { JsonResult } from '../primitives/json-result.ts';
import { continueWith, type PromiseOrValue } from '../primitives/promise-or-value.ts';
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
import { takeTurn } from './take-turn.ts';

export type CallRunnerParts = {
  readonly guard: CallGuard;
  readonly dispatcher: Dispatcher;
  readonly watch: CallWatch | undefined;
  /** Memory for answers. */
  readonly heldAnswers: SharedBudget;
  /** Without room for so much of it a call is not executed: its answer could not be held. */
  readonly leastRoom: number;
  /** The whole answer to a call by itself, of its response or why it is not run. */
  readonly answerAlone: (response: CallResponse, item: Call | Notification, context: BodyContext) => Answer;
};

/** What becomes of a response, or of a refusal to make the call. */
type Conclude<T> = (
  response: CallResponse,
  item: Call | Notification,
  context: BodyContext,
  now: number,
) => T;

/**
 * Runs what a body has in it: guard, turn, dispatch; refusals are noted, and cost nothing. What every call runs has no closures: they would
 * be a tenth of what it allocates.
 */
export class CallRunner {
  readonly #guard: CallGuard;
  readonly #dispatcher: Dispatcher;
  readonly #watch: CallWatch | undefined;
  readonly #heldAnswers: SharedBudget;
  readonly #leastRoom: number;
  readonly #dispatch: (
    item: Call | Notification,
    context: BodyContext,
    now: number,
  ) => PromiseOrValue<CallResponse>;
  readonly #answerAlone: CallRunnerParts['answerAlone'];
  readonly #concludeCall: Conclude<Answer>;
  readonly #concludeItem: Conclude<JsonResult | undefined>;

  constructor({ guard, dispatcher, watch, heldAnswers, leastRoom, answerAlone }: CallRunnerParts) {
    this.#guard = guard;
    this.#dispatcher = dispatcher;
    this.#watch = watch;
    this.#heldAnswers = heldAnswers;
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

  /** The response to an item of a batch. */
  runItem(item: BatchItem, context: BodyContext, now: number): PromiseOrValue<JsonResult | undefined> {
    if (item.kind === 'malformed') return this.#refuseMalformed(item, context, now);
    const refused = this.#refuseFull(item, context, now);
    if (refused !== undefined) return encodeRefusal(item, refused);
    return this.#guardAndRun(item, context, now, this.#concludeItem);
  }

  /** The answer to a call by itself. `now` is the present on the clock of `performance.now()`. */
  run(item: Call | Notification, context: BodyContext, now: number): PromiseOrValue<Answer> {
    const refused = this.#refuseFull(item, context, now);
    if (refused !== undefined) return this.#answerAlone(refused, item, context);
    return this.#guardAndRun(item, context, now, this.#concludeCall);
  }

  /** What is wrong with a call; undefined when nothing is, and then it is paid. */
  check(item: Call | Notification, context: BodyContext, now: number): PromiseOrValue<RpcError | undefined> {
    return this.#guard.check(item, context.session, now, context.prepaid);
  }

  /** As `runItem`. @param problem what `check` said of it */
  runChecked(
    item: Call,
    problem: PromiseOrValue<RpcError | undefined>,
    context: BodyContext,
    now: number,
  ): PromiseOrValue<JsonResult | undefined> {
    return this.#runChecked(item, problem, context, now, this.#concludeItem);
  }

  /** What is said of a response that `runMany` had. */
  concludeItem(
    response: CallResponse,
    item: Call,
    context: BodyContext,
    now: number,
  ): JsonResult | undefined {
    return this.#concludeItem(response, item, context, now);
  }

  /** Runs calls of one method together that have been checked; as `Dispatcher.dispatchMany`. */
  runMany(
    method: Method<MethodContext>,
    calls: readonly Call[],
    context: BodyContext,
    now: number,
  ): PromiseOrValue<readonly CallResponse[]> | undefined {
    return this.#dispatcher.dispatchMany(method, calls, context, now);
  }

  /** Whether answers have so much memory that another call may be run. */
  hasRoom({ scope }: BodyContext): boolean {
    const heldAnswers = this.#heldAnswers;
    return heldAnswers.used === 0 || heldAnswers.hasRoom(scope.owner ?? '', this.#leastRoom);
  }

  /** Why nothing is executed now. */
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
    if (problem === undefined) return takeTurn(context, item, now, this.#dispatch, conclude);
    return continueWith(problem, (found) =>
      found === undefined
        ? takeTurn(context, item, performance.now(), this.#dispatch, conclude)
        : conclude(found, item, context, now),
    );
  }

  /** What is said to something that is no call: what is wrong with it, or that the key may not have so much read. */
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

  /** A refusal is noted, and a call that was not made costs nothing. */
  #noteRefusal(refusal: RpcError, item: Call | Notification, context: BodyContext, now: number): void {
    // The dispatcher has noted what it has run.
    if (refusal.isOutcome) return;
    if (refusal.rowName === 'overloaded') this.#guard.giveBack(item, context.session, context.prepaid);
    this.#watch?.noteRefused(item.method, context, refusal, now);
  }
}

/** The response to an item of a batch that was refused. */
function encodeRefusal(item: Call | Notification, refusal: RpcError): JsonResult | undefined {
  return item.kind === 'call' ? encodeSmallError(item.id, refusal) : undefined;
}
