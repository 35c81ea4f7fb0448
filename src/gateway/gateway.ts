import { METHODS } from '../methods/table.ts';
import type { CallObserver } from '../observe/call-report.ts';
import type { LimitObserver } from '../observe/limit-observer.ts';
import type { Logger } from '../observe/logger.ts';
import type { RequestReport } from '../observe/request-report.ts';
import { continueWith, type Eventual, recoverWith } from '../primitives/eventual.ts';
import type { JsonResult, JsonText } from '../primitives/json-result.ts';
import {
  type BatchItem,
  type Call,
  type Notification,
  type OversizedBatch,
  parseEnvelope,
} from '../rpc/envelope.ts';
import { RpcError } from '../rpc/errors.ts';
import { encodeOpenRpc } from '../rpc/openrpc.ts';
import { encodeBatch, encodeError } from '../rpc/response.ts';
import { RequestScope } from '../util/request-scope.ts';
import { type Access, admit, type Refusal, renew, type Session } from './admission.ts';
import type { Answer, TextAnswer } from './answer.ts';
import { type RunItem, runBatch } from './batch.ts';
import type { BodyContext } from './body-context.ts';
import { bindStream } from './bound-stream.ts';
import { logFault } from './call-errors.ts';
import { CallGuard } from './call-guard.ts';
import { CallWatch } from './call-watch.ts';
import { CreditScale, type CreditTable } from './credit-scale.ts';
import { Dispatcher } from './dispatcher.ts';
import type { NetworkRegistry } from './network-registry.ts';
import { createRefusal, REFUSALS, type RefusalReason, refuseWith } from './refusals.ts';
import { takeTurn } from './take-turn.ts';
import type { Visitor } from './visitor.ts';

/** The service without a transport: what HTTP and WebSocket both call. */
export interface Gateway {
  /** Which network and whose key; a refusal carries the whole answer. */
  admit(visitor: Visitor): Eventual<Session | Refusal>;
  /**
   * Answers one body, at once where nothing has to be waited for. Never throws or rejects. An empty body means that nothing is to be said (notifications). A streamed
   * answer counts as a body in work until it is read to its end or cancelled, and ends when `scope` is aborted. What
   * becomes of its calls is noted in `report`.
   */
  handle(body: Uint8Array, session: Session, scope: RequestScope, report?: RequestReport): Eventual<Answer>;
  refuse(reason: RefusalReason): TextAnswer;
  /** The OpenRPC document of the service, as JSON. */
  readonly openRpc: JsonText;
  readonly bodiesInFlight: number;
}

/** The gateway of one configuration. */
export interface ConfiguredGateway extends Gateway {
  /** A session that was admitted under an earlier configuration, under this one. */
  renew(session: Session): Session | Refusal;
}

export type GatewayLimits = {
  readonly batchItems: number;
  /** Items of one batch in work at the same time. */
  readonly batchConcurrency: number;
  readonly batchAnswerBytes: number;
  /** Bodies in work at the same time, in the whole process. */
  readonly bodiesInFlight: number;
  /** Time limit of one body with everything in it, milliseconds. */
  readonly bodyTimeoutMs: number;
};

const DEFAULT_LIMITS: GatewayLimits = {
  batchItems: 1_000,
  batchConcurrency: 16,
  batchAnswerBytes: 25_000_000,
  bodiesInFlight: 4_096,
  bodyTimeoutMs: 30_000,
};

export type GatewayOptions = {
  readonly networks: NetworkRegistry;
  readonly access: Access;
  /** What calls weigh where it is not what the table says. */
  readonly credits?: CreditTable;
  /** Answer of `web3_clientVersion`: `name/version`. */
  readonly clientVersion: string;
  readonly limits?: Partial<GatewayLimits>;
  readonly log: Logger;
  /** Told of every call and of every body for which there is no room. */
  readonly observer?: CallObserver & LimitObserver;
};

/** Not a matter of who asks. */
const UNKNOWN_HOST_STATUS = 404;

export function createGateway(options: GatewayOptions): ConfiguredGateway {
  const { networks, access, clientVersion, limits, log, observer } = options;
  const bounds: GatewayLimits = { ...DEFAULT_LIMITS, ...limits };
  const scale = new CreditScale(options.credits ?? {});
  const watch = observer === undefined ? undefined : new CallWatch(observer, scale);
  const dispatcher = new Dispatcher(clientVersion, log, watch);
  const guard = new CallGuard(access.limiter, scale);
  const batchLimits = { concurrency: bounds.batchConcurrency, answerBytes: bounds.batchAnswerBytes };
  const readEnd = watch === undefined ? undefined : (): number => watch.endedAt;
  let bodiesInFlight = 0;
  let openRpc: JsonText | undefined;

  /** The response to an item of a batch. */
  function runItem(item: BatchItem, context: BodyContext, now: number): Eventual<JsonResult | undefined> {
    if (item.kind === 'malformed') {
      watch?.noteMalformed(context.session, item.error, now, context.report);
      return encodeError(item.id, item.error);
    }
    return continueWith(run(item, context, now), (response) => {
      if (!(response instanceof RpcError)) return response;
      return item.kind === 'call' ? encodeError(item.id, response) : undefined;
    });
  }

  /** The answer to a call by itself: what the key may not do has an HTTP status of its own. */
  function answerCall(item: Call | Notification, context: BodyContext, now: number): Eventual<Answer> {
    return continueWith(run(item, context, now), (response): Answer => {
      if (!(response instanceof RpcError)) return { status: 200, body: response ?? '' };
      return item.kind === 'call' ? refuseWith(item.id, response) : { status: 200, body: '' };
    });
  }

  /** The response, or why the call is not run at all. */
  function run(
    item: Call | Notification,
    context: BodyContext,
    now: number,
  ): Eventual<JsonResult | undefined | RpcError> {
    const problem = guard.check(item, context.session, now);
    const outcome =
      problem === undefined
        ? takeTurn(context, item, now, dispatch)
        : continueWith(problem, (found) => found ?? takeTurn(context, item, performance.now(), dispatch));
    // Most are there at once and no refusal.
    if (typeof outcome === 'string') return outcome;
    return continueWith(outcome, (response) => {
      // The dispatcher has noted what it has run.
      if (!(response instanceof RpcError) || response.rowName === 'busy') return response;
      if (response.rowName === 'overloaded') guard.giveBack(item, context.session);
      watch?.noteRefused(item.method, context, response, now);
      return response;
    });
  }

  function dispatch(
    item: Call | Notification,
    context: BodyContext,
    now: number,
  ): Eventual<JsonResult | undefined | RpcError> {
    return item.kind === 'call'
      ? dispatcher.dispatch(item, context, now)
      : dispatcher.notify(item, context, now);
  }

  function answer(body: Uint8Array, context: BodyContext, now: number): Eventual<Answer> {
    const envelope = parseEnvelope(body, bounds.batchItems);
    switch (envelope.kind) {
      case 'batch': {
        watch?.noteBatch(envelope.items.length);
        const runOne: RunItem = (item, at) => runItem(item, context, at);
        const responses = runBatch(envelope.items, runOne, batchLimits, context.scope, readEnd);
        return continueWith(responses, (text) => ({ status: 200, body: text }));
      }
      case 'oversizedBatch':
        watch?.noteMalformed(context.session, envelope.error, now, context.report);
        return { status: 200, body: refuseBatch(envelope, bounds.batchAnswerBytes) };
      case 'malformed':
        watch?.noteMalformed(context.session, envelope.error, now, context.report);
        return { status: envelope.error.row.status, body: encodeError(envelope.id, envelope.error) };
      default:
        return answerCall(envelope, context, now);
    }
  }

  return {
    admit: (visitor) =>
      continueWith(admit(visitor, networks, access, log), (outcome) => {
        if ('refused' in outcome && outcome.refused.status !== UNKNOWN_HOST_STATUS)
          observer?.onLimited('auth');
        return outcome;
      }),
    renew: (session) => renew(session, networks),
    refuse: (reason) => REFUSALS[reason],
    get openRpc() {
      // Not at the start: 25 ms.
      openRpc ??= encodeOpenRpc(METHODS, clientVersion.slice(clientVersion.indexOf('/') + 1));
      return openRpc;
    },
    get bodiesInFlight() {
      return bodiesInFlight;
    },
    handle(body, session, outerScope, report) {
      if (report !== undefined) {
        report.network = session.network.name;
        report.caller = session.principal;
      }
      if (bodiesInFlight >= bounds.bodiesInFlight) {
        observer?.onLimited('overload', session.network.name, session.principal.id);
        return REFUSALS.overloaded;
      }
      bodiesInFlight++;
      const now = performance.now();
      const scope = new RequestScope(now + bounds.bodyTimeoutMs, outerScope, now);
      scope.owner = session.principal.id;
      const release = (): void => {
        bodiesInFlight--;
        scope.release();
      };
      const conclude = (answered: Answer): Answer => {
        if (typeof answered.body !== 'string') {
          return { ...answered, body: bindStream(answered.body, scope, release) };
        }
        release();
        return answered;
      };
      const fail = (error: unknown): Answer => {
        release();
        logFault(log, error, { network: session.network.name });
        watch?.noteMalformed(session, new RpcError('internal'), now, report);
        return createRefusal('internal');
      };
      return recoverWith(() => continueWith(answer(body, { session, scope, report }, now), conclude), fail);
    },
  };
}

/** One error for each id that waits, as far as the limit on answers goes; a single one where there is no id. */
function refuseBatch({ ids, error }: OversizedBatch, maxBytes: number): JsonText {
  const refusals: JsonText[] = [];
  let bytes = 0;
  for (const id of ids) {
    const refusal = encodeError(id, error);
    bytes += Buffer.byteLength(refusal) + 1;
    if (bytes > maxBytes) break;
    refusals.push(refusal);
  }
  return refusals.length === 0 ? encodeError('null', error) : encodeBatch(refusals);
}
