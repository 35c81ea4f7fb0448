import type { JsonResult } from '../primitives/json-result.ts';
import { continueWith, type PromiseOrValue } from '../primitives/promise-or-value.ts';
import type { BatchItem, Call, Notification } from '../rpc/envelope.ts';
import { RpcError } from '../rpc/errors.ts';
import { encodeSmallError } from '../rpc/response.ts';
import type { SharedBudget } from '../util/shared-budget.ts';
import type { BodyContext } from './body-context.ts';
import type { CallGuard } from './call-guard.ts';
import type { CallWatch } from './call-watch.ts';
import type { Dispatcher } from './dispatcher.ts';
import { takeTurn } from './take-turn.ts';

/** The response to a call; an error as such where the call was refused; `undefined` for a notification. */
type Outcome = JsonResult | undefined | RpcError;

export type CallRunnerParts = {
  readonly guard: CallGuard;
  readonly dispatcher: Dispatcher;
  readonly watch: CallWatch | undefined;
  /** Memory for answers. */
  readonly heldAnswers: SharedBudget;
  /** Without room for so much of it a call is not executed: its answer could not be held. */
  readonly leastRoom: number;
};

/**
 * Runs what a body has in it: guard, turn, dispatch; refusals are noted, and cost nothing. What every call runs has no closures: they would
 * be a tenth of what it allocates.
 */
export class CallRunner {
  readonly #guard: CallGuard;
  readonly #watch: CallWatch | undefined;
  readonly #heldAnswers: SharedBudget;
  readonly #leastRoom: number;
  readonly #dispatch: (
    item: Call | Notification,
    context: BodyContext,
    now: number,
  ) => PromiseOrValue<Outcome>;

  constructor({ guard, dispatcher, watch, heldAnswers, leastRoom }: CallRunnerParts) {
    this.#guard = guard;
    this.#watch = watch;
    this.#heldAnswers = heldAnswers;
    this.#leastRoom = leastRoom;
    this.#dispatch = (item, context, now) =>
      item.kind === 'call' ? dispatcher.dispatch(item, context, now) : dispatcher.notify(item, context, now);
  }

  /** The response to an item of a batch. */
  runItem(item: BatchItem, context: BodyContext, now: number): PromiseOrValue<JsonResult | undefined> {
    if (item.kind === 'malformed') return this.#refuseMalformed(item, context, now);
    const outcome = this.run(item, context, now);
    // As nearly all are: the rest of this costs as much as putting a response into the answer.
    return typeof outcome === 'string' ? outcome : encodeRefusal(item, outcome);
  }

  /** The response, or why the call is not run at all. `now` is the present on the clock of `performance.now()`. */
  run(item: Call | Notification, context: BodyContext, now: number): PromiseOrValue<Outcome> {
    const heldAnswers = this.#heldAnswers;
    if (heldAnswers.used > 0 && !heldAnswers.hasRoom(context.scope.owner ?? '', this.#leastRoom)) {
      const refused = new RpcError('overloaded');
      this.#watch?.noteRefused(item.method, context, refused, now);
      return refused;
    }
    const problem = this.#guard.check(item, context.session, now, context.prepaid);
    const outcome =
      problem === undefined
        ? takeTurn(context, item, now, this.#dispatch)
        : this.#refuseOrRun(problem, item, context);
    // Most are there at once and no refusal.
    return typeof outcome === 'string' ? outcome : this.#noteRefusal(outcome, item, context, now);
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

  /** @param problem may have to be waited for */
  #refuseOrRun(
    problem: PromiseOrValue<RpcError | undefined>,
    item: Call | Notification,
    context: BodyContext,
  ): PromiseOrValue<Outcome> {
    return continueWith(
      problem,
      (found) => found ?? takeTurn(context, item, performance.now(), this.#dispatch),
    );
  }

  /** The same outcome; a refusal is noted, and a call that was not made costs nothing. */
  #noteRefusal(
    outcome: PromiseOrValue<Outcome>,
    item: Call | Notification,
    context: BodyContext,
    now: number,
  ): PromiseOrValue<Outcome> {
    return continueWith(outcome, (response) => {
      // The dispatcher has noted what it has run.
      if (!(response instanceof RpcError) || response.rowName === 'busy') return response;
      if (response.rowName === 'overloaded') this.#guard.giveBack(item, context.session, context.prepaid);
      this.#watch?.noteRefused(item.method, context, response, now);
      return response;
    });
  }
}

/** The response to an item of a batch that may have been refused. */
function encodeRefusal(
  item: Call | Notification,
  outcome: PromiseOrValue<Outcome>,
): PromiseOrValue<JsonResult | undefined> {
  return continueWith(outcome, (response) => {
    if (!(response instanceof RpcError)) return response;
    return item.kind === 'call' ? encodeSmallError(item.id, response) : undefined;
  });
}
