import { l2EstimateGas } from '../methods/l2_estimateGas.ts';
import { METHODS } from '../methods/table.ts';
import type { CallObserver } from '../observe/call-report.ts';
import type { LimitObserver } from '../observe/limit-observer.ts';
import type { Logger } from '../observe/logger.ts';
import type { RequestReport } from '../observe/request-report.ts';
import type { SubscriptionObserver } from '../observe/subscription-recorder.ts';
import { isComplete, type JsonBytes, type JsonStream, type JsonText } from '../primitives/json-result.ts';
import { continueWith, type PromiseOrValue } from '../primitives/promise-or-value.ts';
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
import { TURNS } from '../util/turn-queue.ts';
import { type Access, admit, type Refusal, renew, type Session } from './admission.ts';
import type { Answer, TextAnswer } from './answer.ts';
import { passAnswer } from './answer-turn.ts';
import { BatchRunner } from './batch-runner.ts';
import type { BodyContext } from './body-context.ts';
import { BodyMeter } from './body-meter.ts';
import { bindStream } from './bound-stream.ts';
import { logFault } from './call-errors.ts';
import { BYTES_PER_CALL, CallGuard } from './call-guard.ts';
import { CallRunner } from './call-runner.ts';
import { CallWatch, findReason } from './call-watch.ts';
import { CreditScale, type CreditTable } from './credit-scale.ts';
import { Dispatcher } from './dispatcher.ts';
import { MeteredNotifier } from './metered-notifier.ts';
import type { NetworkRegistry } from './network-registry.ts';
import { readLarge, readPlain } from './read-body.ts';
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

/** The service without a transport: what HTTP and WebSocket both call. */
export interface Gateway {
  /** Which network and key; a refusal carries the whole answer. */
  admit(visitor: Visitor): PromiseOrValue<Session | Refusal>;
  /**
   * Answers one body, at once where nothing has to be waited for. Never throws or rejects. An empty body means that nothing is to be said (notifications). A streamed
   * answer counts as a body in work until it is read to its end or cancelled, and ends when `scope` is aborted. What
   * becomes of its calls is noted in `report`. Subscriptions are opened with `notifier`.
   */
  handle(
    body: Uint8Array,
    session: Session,
    scope: RequestScope,
    report?: RequestReport,
    notifier?: NotificationPort,
  ): PromiseOrValue<Answer>;
  /** Charges a key for notifications that were sent to it. @returns whether it may have more */
  chargeNotifications(session: Session, credits: number): PromiseOrValue<boolean>;
  /** Called for each request that a bound refuses. @param session of the request, where it is known */
  refuse(reason: RefusalReason | TransportBound, session?: Session): TextAnswer;
  /** Counts a refusal by a bound that has no answer. */
  noteRefusal(bound: BoundName, session?: Session): void;
  /**
   * Charges a body that costs work before it is handled, or is not handled at all, as a call of a method that there is not.
   * @returns why it is not to be read
   */
  chargeUnread(session: Session): PromiseOrValue<TextAnswer | undefined>;
  /** Gives that back: the body is handled, and charged there. */
  returnUnread(session: Session): void;
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
  /** Of all answers of a batch together, and of the result of one call that is executed here. */
  readonly batchAnswerBytes: number;
  /** Memory for batches that are in work, and for large answers that are being put together or sent. */
  readonly heldAnswerBytes: number;
  /** The part of a bound that one key alone may use; see `SharedBudget`. */
  readonly ownerShare: number;
  /** Bodies in work at the same time, in the whole process. */
  readonly bodiesInFlight: number;
  /** Time limit of one body with everything in it, milliseconds. */
  readonly bodyTimeoutMs: number;
};

const DEFAULT_LIMITS: GatewayLimits = {
  batchItems: 1_000,
  batchConcurrency: 16,
  batchAnswerBytes: 25_000_000,
  heldAnswerBytes: 256 * 1024 * 1024,
  ownerShare: 0.5,
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
  /** Called for every call and for every body for which there is no room. */
  readonly observer?: CallObserver & LimitObserver;
  /** Has the counts of subscriptions. */
  readonly subscriptions?: SubscriptionObserver;
};

/** Of the memory for answers. */
const ROOM_PART = 64;
/** The same for every client. */
const UNKNOWN_HOST_STATUS = 404;

export function createGateway(options: GatewayOptions): ConfiguredGateway {
  const { networks, access, clientVersion, limits, log, observer } = options;
  const bounds: GatewayLimits = { ...DEFAULT_LIMITS, ...limits };
  const scale = new CreditScale(options.credits ?? {});
  const watch = observer === undefined ? undefined : new CallWatch(observer, scale);
  const dispatcher = new Dispatcher(clientVersion, log, watch);
  const guard = new CallGuard(access.limiter, scale);
  /** Those that have to be waited for; one that is answered at once is beside no other. */
  const bodies = new SharedBudget(bounds.bodiesInFlight, bounds.ownerShare);
  const heldAnswers = new SharedBudget(bounds.heldAnswerBytes, bounds.ownerShare);
  const leastRoom = Math.ceil(bounds.heldAnswerBytes / ROOM_PART);
  const runner = new CallRunner({ guard, dispatcher, watch, heldAnswers, leastRoom, answerAlone });
  const batches = new BatchRunner({
    runner,
    watch,
    heldAnswers,
    limits: { concurrency: bounds.batchConcurrency, answerBytes: bounds.batchAnswerBytes },
  });
  const meterParts = { guard, scale, watch };
  let openRpc: { readonly prefixes: string; readonly text: JsonText } | undefined;

  /** The answer to a call by itself: what the key may not do has an HTTP status of its own. */
  function answerAlone(response: CallResponse, item: Call | Notification, context: BodyContext): Answer {
    if (response === undefined || item.kind === 'notification') return { status: 200, body: '' };
    if (response instanceof RpcError) return refuseWith(item.id, response);
    return isComplete(response) ? tell(response, context) : holdAnswer(item.id, response, context);
  }

  /** Takes the memory that an answer holds until it is sent (which is when it is given back), or refuses it. */
  function holdAnswer(id: JsonText, body: JsonStream, context: BodyContext): Answer {
    const { heldBytes = 0, length = 0 } = body;
    const withhold = (error: RpcError): Answer => {
      body.cancel();
      watch?.noteWithheld(context, error);
      return refuseWith(id, error);
    };
    if (length > bounds.batchAnswerBytes)
      return withhold(new RpcError('responseTooLarge', 'batch.answerBytes'));
    if (!heldAnswers.tryTake(context.scope.owner ?? '', heldBytes))
      return withhold(new RpcError('overloaded', 'answers.bytes'));
    return { status: 200, body };
  }

  function answer(body: Uint8Array, context: BodyContext, now: number): PromiseOrValue<Answer> {
    if (body.length < TURN_BODY_BYTES) {
      const envelope =
        readPlain(body, bounds.batchItems, context.session.network) ?? parseEnvelope(body, bounds.batchItems);
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

  /** Reads the body in turns of its key. */
  function answerLarge(body: Uint8Array, context: BodyContext): PromiseOrValue<Answer> {
    const { scope } = context;
    const envelope = TURNS.run(scope.owner ?? '', readLarge(body, bounds.batchItems, context));
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

  /** The answer in place of one that a fault of this program has prevented. */
  function answerFault(error: unknown, { session, scope, report }: BodyContext): Answer {
    logFault(log, error, { network: session.network.name });
    watch?.noteMalformed(session, new RpcError('internal'), scope.startedAt, report);
    return createRefusal('internal');
  }

  /** The answer to a body that has been waited for: a streamed one is in work until it has been read. */
  function endBody(answered: Answer, { session, scope }: BodyContext): Answer {
    const { body } = answered;
    if (!isComplete(body)) {
      const bound = bindStream(body, scope, () => releaseBody(session, scope, body.heldBytes));
      return { ...answered, body: bound };
    }
    releaseBody(session, scope);
    return answered;
  }

  function releaseBody({ principal }: Session, scope: RequestScope, heldBytes = 0): void {
    heldAnswers.giveBack(principal.id, heldBytes);
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
    get openRpc() {
      // Not at the start: 25 ms.
      const prefixes = listPrefixes(networks);
      const known = prefixes.join();
      // A prefix may become known later.
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
      scope.answers = heldAnswers;
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

/** The answer with one response, and how far that is to be believed. */
function tell(body: JsonText | JsonBytes, { scope: { trust } }: BodyContext): Answer {
  return trust === undefined ? { status: 200, body } : { status: 200, body, trust };
}

/** The prefixes that networks serve their estimates under, each once. */
function listPrefixes(networks: NetworkRegistry): readonly string[] {
  const prefixes = networks.list().flatMap(({ rollup, rollupPrefixes }) => (rollup && rollupPrefixes) ?? []);
  return [...new Set(prefixes)].sort();
}
