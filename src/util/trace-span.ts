/** A span of a trace, carried by `RequestScope.trace`. */
export interface TraceSpan {
  /** W3C trace context for requests to other servers. */
  readonly traceParent: string;
  /** Begins a child span; `client`: a request to another server. */
  begin(name: string, kind: 'internal' | 'client', attributes: Readonly<Record<string, string>>): TraceSpan;
  set(name: string, value: string | number): void;
  /** @param fault reason of a failure */
  end(fault?: string): void;
}
