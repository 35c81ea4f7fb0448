import {
  isComplete,
  type JsonBytes,
  type JsonStream,
  type JsonText,
} from '../../packages/ethereum/primitives/json-result.ts';
import { continueWith, type PromiseOrValue } from '../../packages/ethereum/primitives/promise-or-value.ts';
import { l2EstimateGas } from '../methods/l2_estimateGas.ts';
import { METHODS } from '../methods/table.ts';
import type { CallObserver } from '../observe/call-report.ts';
import type { LimitObserver } from '../observe/limit-observer.ts';
import type { Logger } from '../observe/logger.ts';
import type { RequestReport } from '../observe/request-report.ts';
import type { SubscriptionObserver } from '../observe/subscription-recorder.ts';
import {
  type Call,
  type Envelope,
  findNumberId,
  type Notification,
  parseEnvelope,
  TURN_BODY_BYTES,
} from '../rpc/envelope.ts';
import { RpcError } from '../rpc/errors.ts';
import type { NotificationPort } from '../rpc/notifier.ts';
import { encodeOpenRpc } from '../rpc/openrpc.ts';
import type { BoundName } from '../util/bounds.ts';
import { RequestScope } from '../util/request-scope.ts';
import { SharedBudget } from '../util/shared-budget.ts';
import { SCHEDULER } from '../util/slot-scheduler.ts';
import { type AdmissionParts, admit, admitProgram, type Refusal, renew, type Session } from './admission.ts';
import type { Answer, TextAnswer } from './answer.ts';
import { passAnswer } from './answer-turn.ts';
import { BatchRunner } from './batch-runner.ts';
import type { BodyContext } from './body-context.ts';
import { BodyMeter } from './body-meter.ts';
import { bindStream } from './bound-stream.ts';
import { logFault } from './call-errors.ts';
import { BYTES_PER_CALL, CallGuard } from './call-guard.ts';
import { CallRunner } from './call-runner.ts';
import { CallSteps } from './call-steps.ts';
import { CallWatch, findReason } from './call-watch.ts';
import { CreditScale, type CreditTable } from './credit-scale.ts';
import { Dispatcher } from './dispatcher.ts';
import type { Interceptor } from './intercepted-call.ts';
import { createInterceptorStep } from './interceptor.ts';
import { MeteredNotifier } from './metered-notifier.ts';
import type { NetworkRegistry } from './network-registry.ts';
import { checkLimits, reportRefusals, requireRoom } from './own-steps.ts';
import { readFastPath, readLarge } from './read-body.ts';
import {
  BOUND_REFUSALS,
  chooseRefusal,
  createRefusal,
  type RefusalReason,
  refuseWith,
  type TransportBound,
} from './refusals.ts';
import type { CallResponse } from './running-call.ts';
import type { Visitor } from './visitor.ts';

/** The service without its transports; the HTTP and WebSocket servers call this interface. */
export interface Gateway {
  /** Determines the network and the key of a request. A refusal contains the complete answer to the client. */
  admit(visitor: Visitor): PromiseOrValue<Session | Refusal>;
  /**
   * Answers one body, synchronously if nothing must be awaited. Never throws or rejects. If the answer's body is empty, nothing is sent
   * (notifications). A streamed answer counts as a body in flight until it is read to its end or cancelled; aborting `scope` ends it. `report`
   * records the outcomes of the body's calls. `notifier` opens subscriptions.
   */
  handle(
    body: Uint8Array,
    session: Session,
    scope: RequestScope,
    report?: RequestReport,
    notifier?: NotificationPort,
  ): PromiseOrValue<Answer>;
  /**
   * Charges a key for notifications sent to its client.
   * @returns whether the client may get more notifications
   */
  chargeNotifications(session: Session, credits: number): PromiseOrValue<boolean>;
  /**
   * Returns the answer to a refused request, and counts the refusal if it has a bound.
   * @param session session of the request, if known
   */
  refuse(reason: RefusalReason | TransportBound, session?: Session): TextAnswer;
  /** Counts a refusal for which the client gets no answer, for example a closed connection. */
  noteRefusal(bound: BoundName, session?: Session): void;
  /**
   * Charges a body as one call of an unknown method. Used for work before `handle`, and for a body that is never passed to `handle`.
   * @returns the reason not to read the body
   */
  chargeUnread(session: Session): PromiseOrValue<TextAnswer | undefined>;
  /** Refunds a charge of `chargeUnread`: if the body is passed to `handle`, which charges its calls, or if there is no room for the work before. */
  returnUnread(session: Session): void;
  /** Returns the credits of the day that the key of a session has left; undefined if the key has no daily limit. */
  findRemainingCredits(session: Session): number | undefined;
  /** The OpenRPC document of the service, as JSON. */
  readonly openRpc: JsonText;
  readonly bodiesInFlight: number;
}

/** The gateway of one configuration. */
export interface ConfiguredGateway extends Gateway {
  /** Admits the program that embeds the service to a network, without a key. */
  admitProgram(network: string): Session | Refusal;
  /** Replaces the network of a session, which is of an earlier configuration, by the network with the same name in this configuration. */
  renew(session: Session): Session | Refusal;
}

export type GatewayLimits = {
  readonly batchItems: number;
  /** Maximum number of items of one batch that run at the same time. */
  readonly batchConcurrency: number;
  /** Maximum bytes of all responses of a batch, and of the result of one call executed locally. */
  readonly batchAnswerBytes: number;
  /** Maximum bytes of memory for running batches, and for large answers that are being assembled or sent. */
  readonly reservedAnswerBytes: number;
  /** Fraction of a shared bound that one key may use alone, from 0 to 1; see `SharedBudget`. */
  readonly ownerShare: number;
  /** Maximum number of bodies that run at the same time, per process. */
  readonly bodiesInFlight: number;
  /** Time limit of one body with all its calls, ms. */
  readonly bodyTimeoutMs: number;
};

const DEFAULT_LIMITS: GatewayLimits = {
  batchItems: 1_000,
  batchConcurrency: 16,
  batchAnswerBytes: 25_000_000,
  reservedAnswerBytes: 256 * 1024 * 1024,
  ownerShare: 0.5,
  bodiesInFlight: 4_096,
  bodyTimeoutMs: 30_000,
};

export type GatewayOptions = {
  readonly networks: NetworkRegistry;
  readonly access: AdmissionParts;
  /** Credits per call, by method name; they override the costs in the table of methods. */
  readonly credits?: CreditTable;
  /** Answer of `web3_clientVersion`: `name/version`. */
  readonly clientVersion: string;
  readonly limits?: Partial<GatewayLimits>;
  readonly log: Logger;
  /** Gets every ended call, and every refusal by a limit or by admission. */
  readonly observer?: CallObserver & LimitObserver;
  /** Counts subscriptions and their notifications. */
  readonly subscriptions?: SubscriptionObserver;
  /** Functions of the embedding program that run before and after each call, outermost first. */
  readonly interceptors?: readonly Interceptor[];
};

/** A new call needs at least 1/64 of the budget for responses free. */
const ROOM_PART = 64;
/** HTTP status for an unknown host. An unknown host does not count as a refused authentication, because the refusal does not depend on a key. */
const UNKNOWN_HOST_STATUS = 404;

/** Creates the gateway of one configuration. */
export function composeGateway(options: GatewayOptions): ConfiguredGateway {
  const { networks, access, clientVersion, limits, log, observer, interceptors = [] } = options;
  const bounds: GatewayLimits = { ...DEFAULT_LIMITS, ...limits };
  const scale = new CreditScale(options.credits ?? {});
  const watch = observer === undefined ? undefined : new CallWatch(observer, scale);
  const dispatcher = new Dispatcher(clientVersion, log, watch);
  const guard = new CallGuard(access.limiter, scale);
  /** Budget for bodies that run asynchronously. Synchronous bodies never run at the same time, so they are not counted. */
  const bodies = new SharedBudget(bounds.bodiesInFlight, bounds.ownerShare);
  const reservedAnswers = new SharedBudget(bounds.reservedAnswerBytes, bounds.ownerShare);
  const leastRoom = Math.ceil(bounds.reservedAnswerBytes / ROOM_PART);
  const steps = new CallSteps([
    reportRefusals(watch),
    requireRoom(reservedAnswers, leastRoom),
    checkLimits(guard),
    ...interceptors.map((interceptor) => createInterceptorStep(interceptor, log)),
  ]);
  const runner = new CallRunner({ steps, guard, dispatcher, watch, answerAlone });
  const batches = new BatchRunner({
    runner,
    watch,
    reservedAnswers,
    limits: { concurrency: bounds.batchConcurrency, answerBytes: bounds.batchAnswerBytes },
  });
  const meterParts = { guard, scale, watch };
  let openRpc: { readonly prefixes: string; readonly text: JsonText } | undefined;

  /** Returns the answer to a single call. Some refusals, such as rate limits, have their own HTTP status. */
  function answerAlone(response: CallResponse, item: Call | Notification, context: BodyContext): Answer {
    if (response === undefined || item.kind === 'notification') return { status: 200, body: '' };
    if (response instanceof RpcError) return refuseWith(item.id, response);
    return isComplete(response) ? tell(response, context) : holdAnswer(item.id, response, context);
  }

  /** Reserves the memory of a streamed answer until it is sent, or refuses the answer. */
  function holdAnswer(id: JsonText, body: JsonStream, context: BodyContext): Answer {
    const { reservedBytes = 0, length = 0 } = body;
    const withhold = (error: RpcError): Answer => {
      body.cancel();
      watch?.noteWithheld(context, error);
      return refuseWith(id, error);
    };
    if (length > bounds.batchAnswerBytes)
      return withhold(new RpcError('responseTooLarge', 'batch.answerBytes'));
    if (!reservedAnswers.tryTake(context.scope.owner ?? '', reservedBytes))
      return withhold(new RpcError('overloaded', 'answers.bytes'));
    return { status: 200, body };
  }

  function answer(body: Uint8Array, context: BodyContext, now: number): PromiseOrValue<Answer> {
    if (body.length < TURN_BODY_BYTES) {
      const envelope =
        readFastPath(body, bounds.batchItems, context.session.network) ??
        parseEnvelope(body, bounds.batchItems);
      return answerEnvelope(envelope, context, now);
    }
    return continueWith(guard.chargeBody(body.length, context.session, now), (charged) => {
      if (!(charged instanceof RpcError)) {
        return continueWith(answerLarge(body, { ...context, prepaid: charged }), (answered) => {
          watch?.noteSurcharge(context.session, charged.credits);
          return answered;
        });
      }
      watch?.noteMalformed(context.session, charged, now, context.report);
      return refuseWith(body.length > BYTES_PER_CALL ? 'null' : findNumberId(body), charged);
    });
  }

  /** Reads the body in scheduler slots of its key. */
  function answerLarge(body: Uint8Array, context: BodyContext): PromiseOrValue<Answer> {
    const { scope } = context;
    const envelope = SCHEDULER.run(scope.owner ?? '', readLarge(body, bounds.batchItems, context));
    return continueWith(envelope, (read) => answerEnvelope(read, context, performance.now()));
  }

  function answerEnvelope(envelope: Envelope, context: BodyContext, now: number): PromiseOrValue<Answer> {
    switch (envelope.kind) {
      case 'batch': {
        watch?.noteBatch(envelope.items.length);
        context.scope.batch = envelope;
        const responses = batches.run(envelope.items, context);
        return continueWith(responses, (body) => ({ status: 200, body }));
      }
      case 'malformed':
        return continueWith(runner.chargeMalformed(envelope.error, context, now), (error) =>
          refuseWith(envelope.id, error),
        );
      default:
        return runner.run(envelope, context, now);
    }
  }

  function noteAdmission(
    outcome: Session | Refusal,
    { session: name, showsTrust }: Visitor,
  ): Session | Refusal {
    if ('refused' in outcome) {
      const { status, bound } = outcome.refused;
      if (status !== UNKNOWN_HOST_STATUS) observer?.onLimited('auth', bound);
      return outcome;
    }
    if (name === undefined && showsTrust === undefined) return outcome;
    return {
      ...outcome,
      ...(name !== undefined && { name }),
      ...(showsTrust === true && { showsTrust }),
    };
  }

  /** Logs a fault of this program, and returns the `internal` error as the answer. */
  function answerFault(error: unknown, { session, scope, report }: BodyContext): Answer {
    logFault(log, error, { network: session.network.name });
    watch?.noteMalformed(session, new RpcError('internal'), scope.startedAt, report);
    return createRefusal('internal');
  }

  /** Releases the resources of an asynchronous body. If the answer is a stream, its resources are released when the stream ends. */
  function endBody(answered: Answer, { session, scope }: BodyContext): Answer {
    const { body } = answered;
    if (!isComplete(body)) {
      const bound = bindStream(body, scope, () => releaseBody(session, scope, body.reservedBytes));
      return { ...answered, body: bound };
    }
    releaseBody(session, scope);
    return answered;
  }

  function releaseBody({ principal }: Session, scope: RequestScope, reservedBytes = 0): void {
    reservedAnswers.giveBack(principal.id, reservedBytes);
    bodies.giveBack(principal.id, 1);
    scope.release();
  }

  return {
    admit(visitor) {
      const outcome = admit(visitor, networks, access, log);
      return outcome instanceof Promise
        ? outcome.then((found) => noteAdmission(found, visitor))
        : noteAdmission(outcome, visitor);
    },
    admitProgram: (network) => admitProgram(network, networks),
    renew: (session) => renew(session, networks),
    noteRefusal: (bound, session) =>
      observer?.onLimited(findReason(bound), bound, session?.network.name, session?.principal.id),
    refuse(reason, session) {
      const { refusal, bound } = chooseRefusal(reason);
      if (bound !== undefined)
        observer?.onLimited(findReason(bound), bound, session?.network.name, session?.principal.id);
      return refusal;
    },
    chargeUnread: (session) =>
      continueWith(guard.chargeUnread(session, performance.now()), (problem) =>
        problem === undefined ? undefined : refuseWith('null', problem),
      ),
    returnUnread: (session) => guard.returnUnread(session),
    findRemainingCredits: ({ principal }) => access.limiter.findRemaining(principal),
    get openRpc() {
      // The OpenRPC document is built when it is first read, not at the start, because building it takes 25 ms.
      const prefixes = listPrefixes(networks);
      const known = prefixes.join();
      // The document is built again if method prefixes were added: rollup families may be recognised while the service runs.
      if (openRpc?.prefixes !== known) {
        const names = prefixes.map((prefix) => `${prefix}_estimateGas`);
        const version = clientVersion.slice(clientVersion.indexOf('/') + 1);
        const text = encodeOpenRpc(METHODS, version, new Map([[l2EstimateGas.name, names]]));
        openRpc = { prefixes: known, text };
      }
      return openRpc.text;
    },
    get bodiesInFlight() {
      return bodies.used;
    },
    chargeNotifications: (session, credits) =>
      continueWith(guard.chargeNotifications(session, credits, performance.now()), (isPaid) => {
        watch?.noteSurcharge(session, credits);
        return isPaid;
      }),
    handle(body, session, outerScope, report, port) {
      if (report !== undefined) {
        report.network = session.network.name;
        report.caller = session.principal;
      }
      const owner = session.principal.id;
      if (!bodies.hasRoom(owner, 1)) {
        observer?.onLimited('overload', 'bodies', session.network.name, owner);
        return BOUND_REFUSALS.bodies;
      }
      const now = performance.now();
      const scope = new RequestScope(now + bounds.bodyTimeoutMs, outerScope, now);
      scope.owner = owner;
      scope.answers = reservedAnswers;
      scope.meter = new BodyMeter(meterParts, session);
      scope.session = session.name;
      const notifier = port && new MeteredNotifier(port, session.network.name, scale, options.subscriptions);
      const context: BodyContext =
        notifier === undefined ? { session, scope, report } : { session, scope, report, notifier };
      let answered: PromiseOrValue<Answer>;
      try {
        answered = answer(body, context, now);
      } catch (error) {
        answered = answerFault(error, context);
      }
      if (!(answered instanceof Promise) && isComplete(answered.body)) {
        scope.release();
        return answered;
      }
      bodies.take(owner, 1);
      if (!(answered instanceof Promise)) return endBody(answered, context);
      return answered.then(
        (found) => passAnswer(owner, found, (passed) => endBody(passed, context)),
        (error: unknown) => endBody(answerFault(error, context), context),
      );
    },
  };
}

/** Returns the answer to a single call, with the trust level of its result. */
function tell(body: JsonText | JsonBytes, { scope: { trust } }: BodyContext): Answer {
  return trust === undefined ? { status: 200, body } : { status: 200, body, trust };
}

/** Returns the distinct method prefixes of rollup networks, for example for `<prefix>_estimateGas`. */
function listPrefixes(networks: NetworkRegistry): readonly string[] {
  const prefixes = networks.list().flatMap(({ rollup, rollupPrefixes }) => (rollup && rollupPrefixes) ?? []);
  return [...new Set(prefixes)].sort();
}
