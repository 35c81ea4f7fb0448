import type { MethodContext } from '../methods/method-context.ts';
import { findMethod } from '../methods/table.ts';
import type { CallObserver, CallSource } from '../observe/call-report.ts';
import { OK, OTHER_METHOD_LABEL } from '../observe/call-table.ts';
import type { LimitObserver, LimitReason } from '../observe/limit-observer.ts';
import type { RequestReport } from '../observe/request-report.ts';
import type { ErrorName, RpcError } from '../rpc/errors.ts';
import type { Method } from '../rpc/method.ts';
import { BOUNDS, type BoundError, type BoundName, listErrors } from '../util/bounds.ts';
import type { RequestScope } from '../util/request-scope.ts';
import type { Session } from './admission.ts';
import type { BodyContext } from './body-context.ts';
import type { CreditScale } from './credit-scale.ts';

/** Reason label of metrics by error name. For an error without a row, `nameReason` determines the reason, if a bound caused the error. */
const REASONS: Readonly<Partial<Record<ErrorName, LimitReason>> & Record<BoundError, LimitReason>> = {
  rateLimited: 'rate',
  networkLimited: 'rate',
  tooManyFailures: 'auth',
  creditsSpent: 'credits',
  overloaded: 'overload',
  busy: 'overload',
  tooManyFilters: 'quota',
  tooManySubscriptions: 'quota',
  filterTooLarge: 'size',
  callTooLarge: 'size',
  batchTooLarge: 'size',
  bodyTooLarge: 'size',
  headTooLarge: 'size',
  responseTooLarge: 'size',
  timedOut: 'time',
  slowBody: 'time',
  rejected: 'auth',
};

/** Reasons that are limits on the use of the service, other than time limits: a call that takes too long is not refused. */
const USE_LIMITS: ReadonlySet<LimitReason | undefined> = new Set([
  'rate',
  'credits',
  'overload',
  'quota',
  'size',
]);

/** Returns the names of errors with which a limit refuses a call. */
export function listLimitErrors(): ReadonlySet<string> {
  return new Set(
    (Object.keys(REASONS) as (keyof typeof REASONS)[]).filter((name) => USE_LIMITS.has(REASONS[name])),
  );
}

/** Returns the reason label of a refusal by a bound: the reason of the bound's error, or else `time` or `overload`. */
export function findReason(bound: BoundName): LimitReason {
  const [error] = listErrors(bound);
  if (error !== undefined) return REASONS[error];
  return isOfTime(bound) ? 'time' : 'overload';
}

/**
 * Returns the reason label for a bound: `time` if the bound is a time limit, otherwise `quota`. Used for errors that may be caused by a bound or by
 * something else.
 */
function nameReason(bound: BoundName | undefined): LimitReason | undefined {
  if (bound === undefined) return undefined;
  return isOfTime(bound) ? 'time' : 'quota';
}

function isOfTime(bound: BoundName): boolean {
  return BOUNDS[bound].unit === 'milliseconds';
}

/** Errors of calls that are refused before they run and cost no credits. Unreadable input is charged like a call of an unknown method. */
const COSTS_NOTHING: ReadonlySet<ErrorName> = new Set<ErrorName>([
  'rateLimited',
  'networkLimited',
  'creditsSpent',
  'overloaded',
  'rejected',
  'intercepted',
]);

/** Reports ended calls to the counters, to the report of their body, and to their trace span. */
export class CallWatch {
  readonly #observer: CallObserver & LimitObserver;
  readonly #scale: CreditScale;
  /** End time of the last call, on the clock of `performance.now()`. */
  endedAt = 0;

  constructor(observer: CallObserver & LimitObserver, scale: CreditScale) {
    this.#observer = observer;
    this.#scale = scale;
  }

  /**
   * Begins the trace span of a call, if its body is traced.
   * @param scope the call's own scope
   */
  beginSpan(method: string, network: string, scope: RequestScope): void {
    const attributes = { 'rpc.system': 'jsonrpc', 'rpc.method': method, 'portcullis.network': network };
    scope.trace = scope.trace?.begin(method, 'internal', attributes);
  }

  /**
   * Reports the end of a call.
   * @param method undefined if no such method is served
   * @param startedAt start time on the clock of `performance.now()`
   * @param ownScope the call's own scope, if it has one; the span of the scope ends here
   */
  noteEnd(
    method: Method<MethodContext> | undefined,
    session: Session,
    error: RpcError | undefined,
    startedAt: number,
    ownScope: RequestScope | undefined,
    report: RequestReport | undefined,
  ): void {
    const { network, principal } = session;
    const name = method === undefined ? OTHER_METHOD_LABEL : (method.label ?? method.name);
    const outcome = error === undefined ? OK : error.rowName;
    const source = findSource(method, network.hasNodes === true, error, ownScope);
    const credits = error !== undefined && COSTS_NOTHING.has(error.rowName) ? 0 : this.#scale.weigh(method);
    const now = ownScope?.endedAt || performance.now();
    this.endedAt = now;
    this.#observer.onCall(network.name, name, outcome, source, now - startedAt, principal, credits, now);
    if (report !== undefined) {
      report.note(name, outcome, source);
      if (error?.bound !== undefined) report.noteBound(error.bound);
      report.lastEndAt = now;
    }
    if (error !== undefined) this.#noteLimited(session, error);
    const span = ownScope?.trace;
    if (span === undefined) return;
    span.set('portcullis.source', source);
    span.set('portcullis.outcome', outcome);
    span.end(error === undefined ? undefined : outcome);
  }

  /** Reports input that could not be read as a call or a batch. */
  noteMalformed(
    session: Session,
    error: RpcError,
    startedAt: number,
    report: RequestReport | undefined,
  ): void {
    this.noteEnd(undefined, session, error, startedAt, undefined, report);
  }

  /** Reports a call that a step refused before the call was run. */
  noteRefused(name: string, { session, report }: BodyContext, error: RpcError, startedAt: number): void {
    const method = findMethod(name, session.network);
    this.noteEnd(method, session, error, startedAt, undefined, report);
  }

  #noteLimited({ network, principal }: Session, error: RpcError): void {
    const reason = REASONS[error.rowName] ?? nameReason(error.bound);
    if (reason !== undefined) this.#observer.onLimited(reason, error.bound, network.name, principal.id);
  }

  /** Reports an answer that is withheld or replaced because of a bound. */
  noteWithheld({ session, report }: BodyContext, error: RpcError): void {
    if (error.bound !== undefined) report?.noteBound(error.bound);
    this.#noteLimited(session, error);
  }

  /** Reports credits charged in addition to the cost of the calls. */
  noteSurcharge({ principal, network }: Session, credits: number): void {
    if (credits > 0) this.#observer.onSurcharge(principal, credits, network.name);
  }

  noteBatch(items: number): void {
    this.#observer.onBatch(items);
  }

  noteBrokenStream(network: string): void {
    this.#observer.onBrokenStream(network);
  }
}

function findSource(
  method: Method<MethodContext> | undefined,
  hasNodes: boolean,
  error: RpcError | undefined,
  scope: RequestScope | undefined,
): CallSource {
  if (scope?.hasCalledNode === true) return 'upstream';
  if (method === undefined || method.isLocal === true) return 'local';
  if (
    error !== undefined &&
    (isFoundHere(error) || (hasNodes && (isUnanswered(error) || mayRefuseAlone(method, error))))
  )
    return 'local';
  // The network has nodes, but no request went to a node, so the answer was cached or came from the cached state of the newest blocks.
  return hasNodes ? 'cache' : 'embedded';
}

/** Whether a call that is refused with this error costs no credits. */
export function costsNothing({ rowName }: RpcError): boolean {
  return COSTS_NOTHING.has(rowName);
}

/**
 * Whether an error comes from an answer of a node, and not from the service itself.
 * @param hasCalledNode whether the call needed a request to a node
 */
export function isAnswerOfNodes(
  method: Method<MethodContext>,
  error: RpcError,
  hasCalledNode: boolean,
): boolean {
  if (isFoundHere(error) || isUnanswered(error) || error.rowName === 'notIncluded') return false;
  return hasCalledNode || !mayRefuseAlone(method, error);
}

/** Whether an error comes from the service itself if no request went to a node: a refused transaction, or a refused range of blocks. */
function mayRefuseAlone({ sends }: Method<MethodContext>, { rowName }: RpcError): boolean {
  return sends === true || rowName === 'tooManyLogs';
}

/** Whether an error means that no chain answered. If no request went to a node, an error that no chain answered comes from the service itself. */
function isUnanswered({ rowName, row }: RpcError): boolean {
  return row.isFault === true || rowName === 'cancelled';
}

/** Whether an error is determined before any request to a chain. */
function isFoundHere({ rowName }: RpcError): boolean {
  return rowName === 'invalidParams' || rowName === 'methodNotFound' || COSTS_NOTHING.has(rowName);
}
