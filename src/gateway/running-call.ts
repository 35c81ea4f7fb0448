import {
  isComplete,
  type JsonResult,
  type JsonStream,
  type JsonText,
} from '../../packages/ethereum/primitives/json-result.ts';
import type { MethodContext } from '../methods/method-context.ts';
import type { Logger } from '../observe/logger.ts';
import { RpcError } from '../rpc/errors.ts';
import type { Method } from '../rpc/method.ts';
import { encodeError, encodeResult } from '../rpc/response.ts';
import { type Expiring, ExpirySweep } from '../util/expiry-sweep.ts';
import type { RequestScope, Trust } from '../util/request-scope.ts';
import type { BodyContext } from './body-context.ts';
import { type FailureSite, toRpcError } from './call-errors.ts';
import { type CallWatch, isAnswerOfNodes } from './call-watch.ts';
import { GRACE_MS } from './complete-in-time.ts';
import { createExpiry } from './create-expiry.ts';
import { openStream } from './open-stream.ts';

/** Encoded response to a call. An error with an HTTP status other than 200 is an RpcError that is not encoded yet; a notification has no response. */
export type CallResponse = JsonResult | RpcError | undefined;

/** A started call of a known method. */
export type BegunCall = {
  /** `undefined` for a notification. */
  readonly id: JsonText | undefined;
  readonly method: Method<MethodContext>;
  readonly body: BodyContext;
  /** The call's own scope, or else the scope of its body. */
  readonly scope: RequestScope;
  /** Start time on the clock of `performance.now()`. */
  readonly startedAt: number;
};

/** All calls share one timer, because setting and clearing a timer per call costs as much as five promises. */
const CALLS = new ExpirySweep<RunningCall>();

/**
 * A call whose result must be awaited. A call uses only one promise, for its time limit, the first bytes of a stream, error conversion, the report
 * and the response. Chains usually end work by the deadline themselves. `expire` aborts the scope of a call that has not ended when the grace period
 * after the deadline is over.
 */
export class RunningCall implements Expiring {
  readonly expiresAt: number;
  sweepIndex = -1;
  readonly #call: BegunCall;
  readonly #log: Logger;
  readonly #watch: CallWatch | undefined;
  readonly #resolve: (response: CallResponse) => void;
  readonly #reject: (error: unknown) => void;
  #isOver = false;

  private constructor(
    call: BegunCall,
    log: Logger,
    watch: CallWatch | undefined,
    resolve: (response: CallResponse) => void,
    reject: (error: unknown) => void,
  ) {
    this.expiresAt = call.scope.deadline + GRACE_MS;
    this.#call = call;
    this.#log = log;
    this.#watch = watch;
    this.#resolve = resolve;
    this.#reject = reject;
  }

  /**
   * Resolves to the response when the result is complete. Rejects only with faults of this program. If the result is a stream, its first bytes have
   * arrived, and it throws only RpcError.
   */
  static follow(
    result: Promise<JsonResult> | JsonStream,
    call: BegunCall,
    log: Logger,
    watch: CallWatch | undefined,
  ): Promise<CallResponse> {
    return new Promise((resolve, reject) => {
      const running = new RunningCall(call, log, watch, resolve, reject);
      CALLS.add(running);
      if (result instanceof Promise) result.then(running.#take, running.#fail);
      else running.#open(result);
    });
  }

  expire(): void {
    this.#call.scope.abort();
    this.#end(createExpiry(this.#call.scope));
  }

  readonly #take = (result: JsonResult): void => {
    if (isComplete(result)) this.#end(result);
    else this.#open(result);
  };

  readonly #fail = (error: unknown): void => this.#end(this.#explain(error));

  #open(stream: JsonStream): void {
    const { scope } = this.#call;
    openStream(stream, scope, (error) => this.#breakOff(error)).then(
      (opened) => this.#end(opened),
      this.#fail,
    );
  }

  #breakOff(error: unknown): RpcError {
    if (!this.#call.body.scope.aborted) {
      this.#log.warn(this.#site, 'an answer broke off');
      this.#watch?.noteBrokenStream(this.#site.network);
    }
    return this.#explain(error);
  }

  #explain(error: unknown): RpcError {
    return toRpcError(error, this.#call.scope, this.#site, this.#log);
  }

  get #site(): FailureSite {
    const { method, body } = this.#call;
    return { method: method.name, network: body.session.network.name };
  }

  #end(outcome: JsonResult | RpcError): void {
    if (this.#isOver) return;
    this.#isOver = true;
    CALLS.delete(this);
    try {
      this.#resolve(this.#conclude(this.#call, outcome));
    } catch (error) {
      this.#reject(error);
    }
  }

  #conclude({ id, method, body, scope, startedAt }: BegunCall, outcome: JsonResult | RpcError): CallResponse {
    const trust = tellTrust(method, scope, body, outcome);
    const ownScope = scope === body.scope ? undefined : scope;
    if (ownScope !== undefined) {
      ownScope.release();
      // Discards an end time that a synchronous part of the call set; this time would hide the duration of the asynchronous part.
      ownScope.endedAt = 0;
    }
    const error = outcome instanceof RpcError ? outcome : undefined;
    this.#watch?.noteEnd(method, body.session, error, startedAt, ownScope, body.report);
    return respond(id, outcome, trust);
  }
}

/**
 * Determines the trust level of a call's result: `single` for an answer of nodes, unless a higher level is recorded. A result of a method that the
 * service itself implements has no trust level, nor has an error that comes from no node. The trust level is returned if the client requests it with
 * each result; otherwise it is recorded in the scope of the body.
 */
export function tellTrust(
  method: Method<MethodContext>,
  scope: RequestScope,
  { session, scope: bodyScope }: BodyContext,
  outcome: JsonResult | RpcError,
): (() => Trust) | undefined {
  if (scope === bodyScope || session.network.hasNodes !== true || method.isLocal === true) return undefined;
  if (outcome instanceof RpcError && !isAnswerOfNodes(method, outcome, scope.hasCalledNode)) return undefined;
  // The trust level is read lazily, because for a stream it is known only at the end.
  const read = (): Trust => scope.trust ?? 'single';
  if (session.showsTrust === true) return read;
  bodyScope.noteTrust(read());
  return undefined;
}

/**
 * Encodes the response to an ended call; a notification has no response.
 * @param trust trust level, which is written as a member beside `result`
 * @param maxErrorText error data with more UTF-16 units is encoded when the response is read
 */
export function respond(
  id: JsonText | undefined,
  outcome: JsonResult | RpcError,
  trust?: () => Trust,
  maxErrorText?: number,
): CallResponse {
  if (id !== undefined) {
    if (!(outcome instanceof RpcError)) return encodeResult(id, outcome, trust);
    if (outcome.row.status === 200) return encodeError(id, outcome, maxErrorText);
    outcome.isOutcome = true;
    return outcome;
  }
  if (typeof outcome !== 'string' && !(outcome instanceof RpcError)) outcome.cancel();
  return undefined;
}
