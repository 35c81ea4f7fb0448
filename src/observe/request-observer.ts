import type { RequestLog } from './request-log.ts';
import { RequestReport, type TransportName } from './request-report.ts';
import type { Tracer } from './tracer.ts';

/** Client properties that reports contain. */
type Client = { readonly address: string; readonly traceParent: string | undefined };

/** Observes requests and messages of the transports, from the head of a request to the end of its answer. */
export class RequestObserver {
  readonly #log: RequestLog;
  readonly #tracer: Tracer | undefined;
  /** Number of answers by HTTP status. */
  readonly statuses: Map<number, number> = new Map();
  messages = 0;
  requestBytes = 0;
  responseBytes = 0;

  constructor(log: RequestLog, tracer?: Tracer) {
    this.#log = log;
    this.#tracer = tracer;
  }

  /** @param startedAt start time on the clock of `performance.now()`, ms */
  begin(transport: TransportName, { address, traceParent }: Client, startedAt: number): RequestReport {
    const span = this.#tracer?.begin(transport === 'http' ? 'POST' : 'message', traceParent);
    return new RequestReport(transport, address, startedAt, span);
  }

  /**
   * Called when the answer has been sent, or the client has left. The duration ends when the answer is ready, so a
   * client that does not read its answer does not make the request slow.
   * @param wasWaitedFor whether anything was awaited after the last call. If nothing was awaited, the end of the last call counts as the end of the
   * request. Reading the clock again would make up a third of the cost of `end`.
   */
  end(report: RequestReport, wasWaitedFor: boolean): void {
    if (report.transport === 'http') this.countStatus(report.status);
    else this.messages++;
    this.requestBytes += report.requestBytes;
    this.responseBytes += report.responseBytes;
    const endedAt = report.answeredAt || (wasWaitedFor ? 0 : report.lastEndAt) || performance.now();
    this.#log.onEnd(report, endedAt - report.startedAt);
    if (report.span !== undefined) endSpan(report, report.span);
  }

  /** Counts an answer by its HTTP status; callers use it for unreadable requests and upgrades, which have no report. */
  countStatus(status: number): void {
    this.statuses.set(status, (this.statuses.get(status) ?? 0) + 1);
  }
}

function endSpan({ network, status, groups }: RequestReport, span: NonNullable<RequestReport['span']>): void {
  span.set('rpc.system', 'jsonrpc');
  if (network !== undefined) span.set('portcullis.network', network);
  if (status !== 0) span.set('http.response.status_code', status);
  span.set(
    'portcullis.calls',
    groups.reduce((total, { count }) => total + count, 0),
  );
  span.end(status >= 500 ? `status ${status}` : undefined);
}
