/** Span of a trace. The current span is in `RequestScope.trace`. */
export interface TraceSpan {
  /** W3C trace context for requests to other servers. */
  readonly traceParent: string;
  /** Begins a child span. The kind `client` is for a request to another server. */
  begin(name: string, kind: 'internal' | 'client', attributes: Readonly<Record<string, string>>): TraceSpan;
  set(name: string, value: string | number): void;
  /**
   * Ends the span.
   * @param fault reason why the work of the span failed; absent where it did not fail
   */
  end(fault?: string): void;
}
