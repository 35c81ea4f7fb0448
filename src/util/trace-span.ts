/** Something that is under way in a trace. What it works on carries it along (`RequestScope.trace`). */
export interface TraceSpan {
  /** W3C trace context to be sent to the server that is asked. */
  readonly traceParent: string;
  /** Begins work inside of it; `client`: a request to another server. */
  begin(name: string, kind: 'internal' | 'client', attributes: Readonly<Record<string, string>>): TraceSpan;
  set(name: string, value: string | number): void;
  /** @param fault why it failed, where it did */
  end(fault?: string): void;
}
