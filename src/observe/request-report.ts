import type { Caller } from './call-report.ts';
import type { TraceSpan } from './trace-span.ts';

export type TransportName = 'http' | 'websocket';

/** Calls of one body that are alike. */
export type CallGroup = {
  readonly method: string;
  readonly outcome: string;
  readonly source: string;
  count: number;
};

/** Groups that are told apart; what exceeds them is counted with the last. */
const MAX_GROUPS = 32;

/** What becomes of one body, filled in by those who learn it: the transport and the gateway. */
export class RequestReport {
  readonly transport: TransportName;
  /** Of the client. */
  readonly address: string;
  /** On the clock of `performance.now()`. */
  readonly startedAt: number;
  /** The work for it, where it is traced. */
  readonly span: TraceSpan | undefined;
  network: string | undefined;
  caller: Caller | undefined;
  /** Of an HTTP request; a WebSocket's message has none. */
  verb: string | undefined;
  /** As it was sent, with the key: redacted where it is told. */
  url: string | undefined;
  status = 0;
  requestBytes = 0;
  /** Before compression. */
  responseBytes = 0;
  /** Whether the client has been sent all of its answer. */
  isFinished = true;
  readonly groups: CallGroup[] = [];

  constructor(transport: TransportName, address: string, startedAt: number, span: TraceSpan | undefined) {
    this.transport = transport;
    this.address = address;
    this.startedAt = startedAt;
    this.span = span;
  }

  /** Counts a call. */
  note(method: string, outcome: string, source: string): void {
    const { groups } = this;
    const last = groups.at(-1);
    if (last?.method === method && last.outcome === outcome && last.source === source) {
      last.count++;
      return;
    }
    const known = groups.find(
      (group) => group.method === method && group.outcome === outcome && group.source === source,
    );
    const group = known ?? (groups.length >= MAX_GROUPS ? last : undefined);
    if (group === undefined) groups.push({ method, outcome, source, count: 1 });
    else group.count++;
  }
}
