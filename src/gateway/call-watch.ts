import type { MethodContext } from '../methods/method-context.ts';
import { findMethod } from '../methods/table.ts';
import type { CallObserver, CallSource } from '../observe/call-report.ts';
import { OK, UNKNOWN_METHOD } from '../observe/call-table.ts';
import type { LimitObserver, LimitReason } from '../observe/limit-observer.ts';
import type { RequestReport } from '../observe/request-report.ts';
import type { ErrorName, RpcError } from '../rpc/errors.ts';
import type { Method } from '../rpc/method.ts';
import { BOUNDS, type BoundError, type BoundName, listErrors } from '../util/bounds.ts';
import type { RequestScope } from '../util/request-scope.ts';
import type { Session } from './admission.ts';
import type { BodyContext } from './body-context.ts';
import type { CreditScale } from './credit-scale.ts';

/** Why a call was refused, where its error says that it was. */
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

/** Why a bound refuses: where it refuses without an error, for time, or there is no room. */
export function findReason(bound: BoundName): LimitReason {
  const [error] = listErrors(bound);
  if (error !== undefined) return REASONS[error];
  return isOfTime(bound) ? 'time' : 'overload';
}

/** Why a bound refuses with an error that has other reasons, too. */
function nameReason(bound: BoundName | undefined): LimitReason | undefined {
  if (bound === undefined) return undefined;
  return isOfTime(bound) ? 'time' : 'quota';
}

function isOfTime(bound: BoundName): boolean {
  return BOUNDS[bound].unit === 'milliseconds';
}

/** What is refused before it is tried costs nothing; what cannot be read as a call costs as much as one of an unknown method. */
const COSTS_NOTHING: ReadonlySet<ErrorName> = new Set<ErrorName>([
  'rateLimited',
  'networkLimited',
  'creditsSpent',
  'overloaded',
  'rejected',
]);

/** Reports calls that have ended: to the counters, to the report of their body, and to their span. */
export class CallWatch {
  readonly #observer: CallObserver & LimitObserver;
  readonly #scale: CreditScale;
  /** When the call ended that ended last, on the clock of `performance.now()`. */
  endedAt = 0;

  constructor(observer: CallObserver & LimitObserver, scale: CreditScale) {
    this.#observer = observer;
    this.#scale = scale;
  }

  /** Begins the span of a call, where its body is traced; `scope` is the call's own. */
  beginSpan(method: string, network: string, scope: RequestScope): void {
    const attributes = { 'rpc.system': 'jsonrpc', 'rpc.method': method, 'portcullis.network': network };
    scope.trace = scope.trace?.begin(method, 'internal', attributes);
  }

  /**
   * @param method undefined: none that is served
   * @param startedAt on the clock of `performance.now()`
   * @param ownScope the call's, where it has one of its own; its span ends here
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
    const name = method === undefined ? UNKNOWN_METHOD : (method.label ?? method.name);
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

  /** What could not be read as a call, or as several. */
  noteMalformed(
    session: Session,
    error: RpcError,
    startedAt: number,
    report: RequestReport | undefined,
  ): void {
    this.noteEnd(undefined, session, error, startedAt, undefined, report);
  }

  /** A call that the key may not make, or not now. */
  noteRefused(name: string, { session, report }: BodyContext, error: RpcError, startedAt: number): void {
    const method = findMethod(name, session.network);
    this.noteEnd(method, session, error, startedAt, undefined, report);
  }

  #noteLimited({ network, principal }: Session, error: RpcError): void {
    const reason = REASONS[error.rowName] ?? nameReason(error.bound);
    if (reason !== undefined) this.#observer.onLimited(reason, error.bound, network.name, principal.id);
  }

  /** An answer that is not sent, or not as the call had it, as a bound refuses it. */
  noteWithheld({ session, report }: BodyContext, error: RpcError): void {
    if (error.bound !== undefined) report?.noteBound(error.bound);
    this.#noteLimited(session, error);
  }

  /** What a large body cost beyond its calls. */
  noteSurcharge({ principal }: Session, credits: number): void {
    if (credits > 0) this.#observer.onSurcharge(principal, credits);
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
  if (scope?.hasAskedNode === true) return 'upstream';
  if (method === undefined || method.isLocal === true) return 'local';
  if (error !== undefined && (isFoundHere(error) || (hasNodes && isUnanswered(error)))) return 'local';
  // What was answered before, and what is known of the chain's newest blocks, is answered without asking.
  return hasNodes ? 'cache' : 'embedded';
}

/** Whether an error is what a chain of nodes answered. */
export function isAnswerOfNodes(error: RpcError): boolean {
  return !isFoundHere(error) && !isUnanswered(error);
}

/** Errors without an answer of a chain: where no node was asked, the service itself found that there is none. */
function isUnanswered({ rowName, row }: RpcError): boolean {
  return row.isFault === true || rowName === 'cancelled';
}

/** Errors that are found before a chain is asked for anything. */
function isFoundHere({ rowName }: RpcError): boolean {
  return rowName === 'invalidParams' || rowName === 'methodNotFound' || COSTS_NOTHING.has(rowName);
}
