import {
  isComplete,
  type JsonBytes,
  type JsonResult,
  type JsonText,
} from '../../packages/ethereum/primitives/json-result.ts';
import type { PromiseOrValue } from '../../packages/ethereum/primitives/promise-or-value.ts';
import { ChainError } from '../chain/errors.ts';
import type { MethodContext } from '../methods/method-context.ts';
import type { Network } from '../methods/network.ts';
import { findMethod } from '../methods/table.ts';
import type { Logger } from '../observe/logger.ts';
import type { Call, Notification } from '../rpc/envelope.ts';
import { RpcError } from '../rpc/errors.ts';
import type { Method, MethodOutcome } from '../rpc/method.ts';
import { truncateText } from '../rpc/param-problem.ts';
import { RequestScope } from '../util/request-scope.ts';
import { SCHEDULER } from '../util/slot-scheduler.ts';
import type { BodyContext } from './body-context.ts';
import { toRpcError } from './call-errors.ts';
import type { CallWatch } from './call-watch.ts';
import { completeInTime } from './complete-in-time.ts';
import { type BegunCall, type CallResponse, RunningCall, respond, tellTrust } from './running-call.ts';

/** Parts of a call or a notification that a method needs to run. */
type Request = Omit<Call, 'kind' | 'id'>;

type CallOutcomes = readonly (MethodOutcome | undefined)[];

/**
 * Maximum length of error data in grouped calls that is encoded immediately, UTF-16 units. Longer error data is encoded when the response is
 * delivered, one call after another.
 */
const MAX_ERROR_TEXT = 8 * 1024;
/** Error data processed per scheduler slot, UTF-16 units or bytes: takes less than a millisecond. */
const ERROR_TEXT_PER_SLOT = 512 * 1024;

/** Runs single calls and groups of calls: finds the method, applies its time limit, and converts errors. */
export class Dispatcher {
  readonly #clientVersion: string;
  readonly #log: Logger;
  readonly #watch: CallWatch | undefined;

  constructor(clientVersion: string, log: Logger, watch?: CallWatch) {
    this.#clientVersion = clientVersion;
    this.#log = log;
    this.#watch = watch;
  }

  /**
   * Returns the response to one call, synchronously if nothing must be awaited. An error with an HTTP status of its own is returned as an RpcError,
   * without being encoded. Never throws or rejects. A returned stream has its first bytes, throws only RpcError, and must be read or cancelled. `now`
   * is the current time on the clock of `performance.now()`.
   */
  dispatch(call: Call, body: BodyContext, now: number): PromiseOrValue<CallResponse> {
    return this.#run(call, call.id, body, now);
  }

  /** Runs a notification to its end; a notification has no response. */
  notify(notification: Notification, body: BodyContext, now: number): PromiseOrValue<CallResponse> {
    const { method, params } = notification;
    if (params !== undefined) return this.#run({ method, params }, undefined, body, now);
    const error = new RpcError('invalidParams', 'params must be an array');
    this.#watch?.noteMalformed(body.session, error, now, body.report);
    return undefined;
  }

  /**
   * Returns the responses to several calls of one method that run as a group. If one response is undefined, its call must be dispatched separately.
   * If the whole result is undefined, the calls cannot run as a group. Rejects only with faults of this program.
   */
  dispatchMany(
    method: Method<MethodContext>,
    calls: readonly Call[],
    body: BodyContext,
    now: number,
  ): PromiseOrValue<readonly CallResponse[]> | undefined {
    if (body.scope.trace !== undefined || refuseLate(body.scope, now) !== undefined) return undefined;
    const { network } = body.session;
    const scope = this.#openScope(method, network, body.scope, now);
    const context = { network, clientVersion: this.#clientVersion, scope };
    const outcomes = method.invokeMany?.(calls, context);
    if (outcomes === undefined) return undefined;
    const conclude = (found: CallOutcomes): PromiseOrValue<readonly CallResponse[]> => {
      scope.release();
      scope.endedAt = performance.now();
      return this.#concludeFrom([], found, calls, { method, body, scope, startedAt: now });
    };
    if (!(outcomes instanceof Promise)) return conclude(outcomes);
    // If the chain exceeds the deadline, each call is dispatched separately, and fails because no time is left.
    const inTime = completeInTime(outcomes, scope).catch((error: unknown): CallOutcomes => {
      if (error instanceof RpcError) return [];
      throw error;
    });
    return inTime.then(conclude);
  }

  /** Builds the responses of the calls that have none yet, in scheduler slots if the calls have long error data. */
  #concludeFrom(
    responses: CallResponse[],
    outcomes: CallOutcomes,
    calls: readonly Call[],
    common: Omit<BegunCall, 'id'>,
  ): PromiseOrValue<readonly CallResponse[]> {
    for (let length = 0; responses.length < calls.length; ) {
      if (length > ERROR_TEXT_PER_SLOT)
        return SCHEDULER.rejoin(common.body.scope.owner ?? '').then(() =>
          this.#concludeFrom(responses, outcomes, calls, common),
        );
      const outcome = outcomes[responses.length];
      const { id } = calls[responses.length] as Call;
      const { method, body, scope, startedAt } = common;
      responses.push(this.#concludeOne(outcome, { id, method, body, scope, startedAt }));
      if (outcome?.answer instanceof ChainError) length += outcome.answer.data?.length ?? 0;
    }
    return responses;
  }

  #concludeOne(outcome: MethodOutcome | undefined, call: BegunCall): CallResponse {
    if (outcome === undefined) return undefined;
    const { id, method, body, scope, startedAt } = call;
    const { answer, isRequested } = outcome;
    const site = { method: method.name, network: body.session.network.name };
    const result = answer instanceof Error ? toRpcError(answer, scope, site, this.#log) : answer;
    const error = result instanceof RpcError ? result : undefined;
    scope.hasCalledNode = isRequested;
    this.#watch?.noteEnd(method, body.session, error, startedAt, scope, body.report);
    return respond(id, result, tellTrust(method, scope, body, result), MAX_ERROR_TEXT);
  }

  /** Finds the method, runs it, and reports the outcome to `CallWatch`. */
  #run(
    call: Request,
    id: JsonText | undefined,
    body: BodyContext,
    now: number,
  ): PromiseOrValue<CallResponse> {
    const { network } = body.session;
    const method = findMethod(call.method, network);
    const late = refuseLate(body.scope, now);
    if (method === undefined) {
      const error = late ?? new RpcError('methodNotFound', truncateText(call.method));
      this.#watch?.noteEnd(undefined, body.session, error, now, undefined, body.report);
      return respond(id, error);
    }
    const scope = this.#openScope(method, network, body.scope, now);
    const outcome = late ?? this.#invoke(method, call, body, scope);
    if (!isCompleted(outcome)) {
      return RunningCall.follow(outcome, { id, method, body, scope, startedAt: now }, this.#log, this.#watch);
    }
    const trust = tellTrust(method, scope, body, outcome);
    if (this.#watch !== undefined) {
      const error = outcome instanceof RpcError ? outcome : undefined;
      const ownScope = scope === body.scope ? undefined : scope;
      this.#watch.noteEnd(method, body.session, error, now, ownScope, body.report);
    }
    return respond(id, outcome, trust);
  }

  /** Opens a separate scope if the call has its own time limit, or if its times or trace are recorded separately. */
  #openScope(
    method: Method<MethodContext>,
    network: Network,
    bodyScope: RequestScope,
    now: number,
  ): RequestScope {
    const isWatched =
      this.#watch !== undefined && (network.hasNodes === true || bodyScope.trace !== undefined);
    if (method.executes !== true && method.waits !== true && !isWatched) return bodyScope;
    const deadline = method.executes === true ? now + network.callTimeoutMs : bodyScope.deadline;
    const scope = new RequestScope(deadline, bodyScope, now);
    scope.isCallLimit = method.executes === true && deadline < bodyScope.deadline;
    if (scope.trace !== undefined) this.#watch?.beginSpan(method.name, network.name, scope);
    return scope;
  }

  #invoke(
    method: Method<MethodContext>,
    call: Request,
    { session: { network, development }, notifier }: BodyContext,
    scope: RequestScope,
  ): RpcError | PromiseOrValue<JsonResult> {
    try {
      const clientVersion = this.#clientVersion;
      // Copying objects by spread takes a microsecond, which every message of a WebSocket would pay.
      const known =
        notifier === undefined
          ? { network, clientVersion, scope }
          : { network, clientVersion, scope, notifier };
      const context = development === undefined ? known : { ...known, development };
      const { plain: bytes } = call;
      const plain = bytes === undefined ? undefined : method.invokeFastPath?.(bytes, context);
      return plain ?? method.invoke(call.params, context);
    } catch (error) {
      return toRpcError(error, scope, { method: method.name, network: network.name }, this.#log);
    }
  }
}

/** Returns an error if the deadline of the body has passed or its client has disconnected. */
function refuseLate(scope: RequestScope, now: number): RpcError | undefined {
  if (now >= scope.deadline) return new RpcError('timedOut', 'request.time');
  return scope.aborted ? new RpcError('cancelled') : undefined;
}

/** Whether an outcome is neither a promise nor an incomplete stream. */
function isCompleted(
  outcome: RpcError | PromiseOrValue<JsonResult>,
): outcome is RpcError | JsonText | JsonBytes {
  if (typeof outcome === 'string' || outcome instanceof RpcError) return true;
  return !(outcome instanceof Promise) && isComplete(outcome);
}
