import { findMethod } from '../methods/table.ts';
import type { Logger } from '../observe/logger.ts';
import { continueWith, type Eventual } from '../primitives/eventual.ts';
import type { JsonResult } from '../primitives/json-result.ts';
import type { Call, Notification } from '../rpc/envelope.ts';
import { RpcError } from '../rpc/errors.ts';
import { shorten } from '../rpc/param-problem.ts';
import { encodeError, encodeResult } from '../rpc/response.ts';
import { RequestScope } from '../util/request-scope.ts';
import { type FailureSite, toRpcError } from './call-errors.ts';
import type { Network } from './network.ts';
import { openStream } from './open-stream.ts';
import { settleInTime } from './settle-in-time.ts';

/** Runs single calls: method, parameters, time limit, errors. */
export class Dispatcher {
  readonly #clientVersion: string;
  readonly #log: Logger;

  constructor(clientVersion: string, log: Logger) {
    this.#clientVersion = clientVersion;
    this.#log = log;
  }

  /**
   * The response to one call: at once where nothing has to be waited for. Never throws or rejects. A stream has its
   * first bytes, throws RpcError only, and is to be read or cancelled. `now` is the present on the clock of
   * `performance.now()`.
   */
  dispatch(
    { id, method, params }: Call,
    network: Network,
    scope: RequestScope,
    now: number,
  ): Eventual<JsonResult> {
    return continueWith(this.#run(method, params, network, scope, now), (result) =>
      result instanceof RpcError ? encodeError(id, result) : encodeResult(id, result),
    );
  }

  /** Runs a notification to its end; nothing is said about it. */
  notify(
    { method, params }: Notification,
    network: Network,
    scope: RequestScope,
    now: number,
  ): Eventual<undefined> {
    if (params === undefined) return undefined;
    return continueWith(this.#run(method, params, network, scope, now), (result) => {
      if (typeof result !== 'string' && !(result instanceof RpcError)) result.cancel();
      return undefined;
    });
  }

  #run(
    name: string,
    params: readonly unknown[],
    network: Network,
    bodyScope: RequestScope,
    now: number,
  ): Eventual<JsonResult | RpcError> {
    if (now >= bodyScope.deadline) return new RpcError('timedOut');
    if (bodyScope.aborted) return new RpcError('cancelled');
    const method = findMethod(name, network);
    if (method === undefined) return new RpcError('methodNotFound', shorten(name));
    const scope =
      method.executes === true ? new RequestScope(now + network.callTimeoutMs, bodyScope, now) : bodyScope;
    try {
      const result = method.invoke(params, { network, clientVersion: this.#clientVersion, scope });
      if (typeof result === 'string') return result;
      const site = { method: method.name, network: network.name };
      const settled = this.#settle(result, scope, bodyScope, site);
      return scope === bodyScope ? settled : settled.finally(() => scope.release());
    } catch (error) {
      return toRpcError(error, scope, { method: method.name, network: network.name }, this.#log);
    }
  }

  /** What is still to come, or comes in pieces. */
  #settle(
    result: Exclude<Eventual<JsonResult>, string>,
    scope: RequestScope,
    bodyScope: RequestScope,
    site: FailureSite,
  ): Promise<JsonResult | RpcError> {
    const fail = (error: unknown): RpcError => toRpcError(error, scope, site, this.#log);
    const breakOff = (error: unknown): RpcError => {
      if (!bodyScope.aborted) this.#log.warn(site, 'an answer broke off');
      return fail(error);
    };
    return settleInTime(receive(result, scope, breakOff), scope).catch(fail);
  }
}

/** The result as it can be handed on: a stream only once its first bytes are there. */
async function receive(
  result: Eventual<JsonResult>,
  scope: RequestScope,
  breakOff: (error: unknown) => RpcError,
): Promise<JsonResult> {
  const received = await result;
  return typeof received === 'string' ? received : openStream(received, scope, breakOff);
}
