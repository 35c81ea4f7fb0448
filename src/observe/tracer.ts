import type { TraceSpan } from '../util/trace-span.ts';

/** Begins traces. */
export interface Tracer {
  /**
   * Begins the span of one body. Returns undefined if the span is not recorded and there is no context to pass on.
   * @param traceParent value of the `traceparent` header as the client sent it
   */
  begin(name: string, traceParent: string | undefined): TraceSpan | undefined;
  /** Exports all pending spans. Always resolves. */
  close(): Promise<void>;
}
