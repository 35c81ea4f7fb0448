import type { TraceSpan } from '../util/trace-span.ts';

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
