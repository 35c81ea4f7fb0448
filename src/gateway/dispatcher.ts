import type { MethodContext } from '../methods/method-context.ts';
import type { Network } from '../methods/network.ts';
import { findMethod } from '../methods/table.ts';
import type { Logger } from '../observe/logger.ts';
import { isComplete, type JsonResult, type JsonStream, type JsonText } from '../primitives/json-result.ts';
import { continueWith, type PromiseOrValue } from '../primitives/promise-or-value.ts';
import type { Call, Notification } from '../rpc/envelope.ts';
import { RpcError } from '../rpc/errors.ts';
import type { Method } from '../rpc/method.ts';
import { shorten } from '../rpc/param-problem.ts';
import { encodeError, encodeResult } from '../rpc/response.ts';
import { RequestScope, type Trust } from '../util/request-scope.ts';
import type { BodyContext } from './body-context.ts';
import { type FailureSite, toRpcError } from './call-errors.ts';
import type { CallWatch } from './call-watch.ts';
import { openStream } from './open-stream.ts';
import { settleInTime } from './settle-in-time.ts';

/** What of a call or a notification a method is run with. */
type Question = Omit<Call, 'kind' | 'id'>;

/** Runs single calls: method, parameters, time limit, errors. */
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
   * The response to one call: at once where nothing has to be waited for; an error as such where it has an HTTP status of its own.
   * Never throws or rejects. A stream has its
   * first bytes, throws RpcError only, and is to be read or cancelled. `now` is the present on the clock of
   * `performance.now()`.
   */
  dispatch(call: Call, body: BodyContext, now: number): PromiseOrValue<JsonResult | RpcError> {
    if (body.session.showsTrust === true) return this.#dispatchTrusted(call, body, now);
    const outcome = this.#run(call, body, now);
    return typeof outcome === 'string' ? encodeResult(call.id, outcome) : encodeOutcome(call.id, outcome);
  }

  /** The same with a member `trust` beside the result. */
  #dispatchTrusted(call: Call, body: BodyContext, now: number): PromiseOrValue<JsonResult | RpcError> {
    const told: { trust?: Trust | undefined } = {};
    return continueWith(this.#run(call, body, now, told), (result) =>
      result instanceof RpcError ? encodeOutcome(call.id, result) : encodeResult(call.id, result, told.trust),
    );
  }

  /** Runs a notification to its end; nothing is said about it. */
  notify(notification: Notification, body: BodyContext, now: number): PromiseOrValue<undefined> {
    const { method, params } = notification;
    if (params === undefined) {
      const error = new RpcError('invalidParams', 'params must be an array');
      this.#watch?.noteMalformed(body.session, error, now, body.report);
      return undefined;
    }
    return continueWith(this.#run({ method, params }, body, now), (result) => {
      if (typeof result !== 'string' && !(result instanceof RpcError)) result.cancel();
      return undefined;
    });
  }

  /** Finds the method and runs it; observers get its outcome, `told` how far the result is to be believed. */
  #run(
    call: Question,
    body: BodyContext,
    now: number,
    told: { trust?: Trust | undefined } = body.scope,
  ): PromiseOrValue<JsonResult | RpcError> {
    const { network } = body.session;
    const method = findMethod(call.method, network);
    const scope = method === undefined ? body.scope : this.#openScope(method, network, body.scope, now);
    const result =
      refuseLate(body.scope, now) ??
      (method === undefined
        ? new RpcError('methodNotFound', shorten(call.method))
        : this.#invoke(method, call, body, scope));
    const watch = this.#watch;
    const ownScope = scope === body.scope ? undefined : scope;
    if (!(result instanceof Promise)) {
      if (ownScope !== undefined) noteTrust(method, network, ownScope, told);
      if (watch !== undefined) {
        const error = result instanceof RpcError ? result : undefined;
        watch.noteEnd(method, body.session, error, now, ownScope, body.report);
      }
      return result;
    }
    if (watch === undefined && ownScope === undefined) return result;
    return this.#noteLater(result, method, body, now, ownScope, told);
  }

  /** The same result, noted when it is there. */
  #noteLater(
    result: Promise<JsonResult | RpcError>,
    method: Method<MethodContext> | undefined,
    { session, report }: BodyContext,
    now: number,
    ownScope: RequestScope | undefined,
    told: { trust?: Trust | undefined },
  ): Promise<JsonResult | RpcError> {
    return result.then((settled) => {
      if (ownScope !== undefined) {
        noteTrust(method, session.network, ownScope, told);
        ownScope.release();
        // Something of it may have been done at once.
        ownScope.endedAt = 0;
      }
      const error = settled instanceof RpcError ? settled : undefined;
      this.#watch?.noteEnd(method, session, error, now, ownScope, report);
      return settled;
    });
  }

  /** A scope of its own where the call has a time limit of its own, or where something is noted of this call alone. */
  #openScope(
    method: Method<MethodContext>,
    network: Network,
    bodyScope: RequestScope,
    now: number,
  ): RequestScope {
    const isWatched =
      this.#watch !== undefined && (network.hasNodes === true || bodyScope.trace !== undefined);
    if (method.executes !== true && !isWatched) return bodyScope;
    const deadline = method.executes === true ? now + network.callTimeoutMs : bodyScope.deadline;
    const scope = new RequestScope(deadline, bodyScope, now);
    if (scope.trace !== undefined) this.#watch?.beginSpan(method.name, network.name, scope);
    return scope;
  }

  #invoke(
    method: Method<MethodContext>,
    call: Question,
    { session: { network }, scope: bodyScope, notifier }: BodyContext,
    scope: RequestScope,
  ): PromiseOrValue<JsonResult | RpcError> {
    try {
      const clientVersion = this.#clientVersion;
      const context =
        notifier === undefined
          ? { network, clientVersion, scope }
          : { network, clientVersion, scope, notifier };
      const { plain: bytes } = call;
      const plain = bytes === undefined ? undefined : method.invokePlain?.(bytes, context);
      const result = plain ?? method.invoke(call.params, context);
      if (!(result instanceof Promise) && isComplete(result)) return result;
      return this.#settle(result, scope, bodyScope, { method: method.name, network: network.name });
    } catch (error) {
      return toRpcError(error, scope, { method: method.name, network: network.name }, this.#log);
    }
  }

  /** What is still to come, or comes in pieces. */
  #settle(
    result: Promise<JsonResult> | JsonStream,
    scope: RequestScope,
    bodyScope: RequestScope,
    site: FailureSite,
  ): Promise<JsonResult | RpcError> {
    const fail = (error: unknown): RpcError => toRpcError(error, scope, site, this.#log);
    const breakOff = (error: unknown): RpcError => {
      if (!bodyScope.aborted) {
        this.#log.warn(site, 'an answer broke off');
        this.#watch?.noteBrokenStream(site.network);
      }
      return fail(error);
    };
    return settleInTime(receive(result, scope, breakOff), scope).catch(fail);
  }
}

/** What nodes answered is one node's word where nothing else is known of it. Methods of the service itself are not about a chain. */
function noteTrust(
  method: Method<MethodContext> | undefined,
  network: Network,
  scope: RequestScope,
  told: { trust?: Trust | undefined },
): void {
  if (network.hasNodes !== true || method === undefined || method.isLocal === true) return;
  told.trust = scope.trust ?? 'single';
}

/** The response to a call, once it is over. */
function encodeOutcome(
  id: JsonText,
  outcome: PromiseOrValue<JsonResult | RpcError>,
): PromiseOrValue<JsonResult | RpcError> {
  return continueWith(outcome, (result) => {
    if (!(result instanceof RpcError)) return encodeResult(id, result);
    return result.row.status === 200 ? encodeError(id, result) : result;
  });
}

/** Nothing is begun for a body whose time is up, or whose client has gone. */
function refuseLate(scope: RequestScope, now: number): RpcError | undefined {
  if (now >= scope.deadline) return new RpcError('timedOut');
  return scope.aborted ? new RpcError('cancelled') : undefined;
}

/** The result as it can be handed on: a stream only once its first bytes are there. */
function receive(
  result: Promise<JsonResult> | JsonStream,
  scope: RequestScope,
  breakOff: (error: unknown) => RpcError,
): Promise<JsonResult> {
  if (!(result instanceof Promise)) return openStream(result, scope, breakOff);
  return result.then(
    (received): PromiseOrValue<JsonResult> =>
      isComplete(received) ? received : openStream(received, scope, breakOff),
  );
}
