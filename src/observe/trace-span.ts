/** Something that is under way in a trace. What it works on carries it along (`RequestScope.trace`). */
export interface TraceSpan {
  /** W3C trace context to be sent to whoever is asked. */
  readonly traceParent: string;
  /** Begins work inside of it; `client`: somebody else is asked for something. */
  begin(name: string, kind: 'internal' | 'client', attributes: Readonly<Record<string, string>>): TraceSpan;
  set(name: string, value: string | number): void;
  /** @param fault why it failed, where it did */
  end(fault?: string): void;
}

/** Begins traces. */
export interface Tracer {
  /**
   * The work for one body; undefined where it is not recorded and was sent no context that would have to be passed on.
   * @param traceParent as the client sent it
   */
  begin(name: string, traceParent: string | undefined): TraceSpan | undefined;
  /** Sends what has not been sent. Always resolves. */
  close(): Promise<void>;
}
