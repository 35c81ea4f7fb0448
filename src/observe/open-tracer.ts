/** `Tracer` of the OpenTelemetry SDK. This module loads slowly, so it is imported only if tracing is enabled. */
import {
  type Context,
  ROOT_CONTEXT,
  type Tracer as SdkTracer,
  type Span,
  SpanKind,
  SpanStatusCode,
  TraceFlags,
  trace,
} from '@opentelemetry/api';
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-http';
import { resourceFromAttributes } from '@opentelemetry/resources';
import { BasicTracerProvider, BatchSpanProcessor, type SpanExporter } from '@opentelemetry/sdk-trace-base';
import { completeWithin } from '../util/complete-within.ts';
import type { TraceSpan } from '../util/trace-span.ts';
import type { Logger } from './logger.ts';
import type { TracingOptions } from './options.ts';
import { parseTraceParent } from './trace-parent.ts';
import type { Tracer } from './tracer.ts';

/** Maximum spans waiting to be sent; the excess is dropped. */
const MAX_WAITING_SPANS = 8_192;
const EXPORT_SPANS = 512;
const EXPORT_INTERVAL_MS = 1_000;
const EXPORT_LIMIT_MS = 5_000;

export type TracerParts = {
  readonly version: string;
  readonly log: Logger;
  /** Maximum duration of `close`, milliseconds. */
  readonly closeLimitMs: number;
};

/** Creates a tracer that exports sampled spans in batches by OTLP over HTTP. */
export function openTracer(options: TracingOptions, { version, log, closeLimitMs }: TracerParts): Tracer {
  const exporter = new OTLPTraceExporter({
    url: options.endpoint,
    headers: { ...options.headers },
    timeoutMillis: EXPORT_LIMIT_MS,
  });
  // Failures are logged without the reason, which may quote the endpoint's address.
  const processor = new BatchSpanProcessor(reportFailures(exporter, log), {
    maxQueueSize: MAX_WAITING_SPANS,
    maxExportBatchSize: EXPORT_SPANS,
    scheduledDelayMillis: EXPORT_INTERVAL_MS,
    exportTimeoutMillis: EXPORT_LIMIT_MS,
  });
  const provider = new BasicTracerProvider({
    resource: resourceFromAttributes({ 'service.name': 'portcullis', 'service.version': version }),
    spanProcessors: [processor],
  });
  const tracer = provider.getTracer('portcullis', version);
  return {
    begin: (name, traceParent) => beginTrace(tracer, options.sample, name, traceParent),
    async close() {
      await completeWithin(
        provider.shutdown().catch(() => {}),
        closeLimitMs,
      );
    },
  };
}

/**
 * Decides on recording before it creates a span, so that unrecorded traces cost nothing. A request is recorded if the client's `traceparent` says so;
 * without a `traceparent`, sampling decides.
 */
function beginTrace(
  tracer: SdkTracer,
  sample: number,
  name: string,
  traceParent: string | undefined,
): TraceSpan | undefined {
  const parent = traceParent === undefined ? undefined : parseTraceParent(traceParent);
  if (parent === undefined) {
    if (sample === 0 || Math.random() >= sample) return undefined;
    return new SdkSpan(tracer, tracer.startSpan(name, { kind: SpanKind.SERVER }, ROOT_CONTEXT));
  }
  if (!parent.isSampled) return new UnrecordedSpan(traceParent as string);
  const { traceId, spanId } = parent;
  const context = trace.setSpanContext(ROOT_CONTEXT, {
    traceId,
    spanId,
    traceFlags: TraceFlags.SAMPLED,
    isRemote: true,
  });
  return new SdkSpan(tracer, tracer.startSpan(name, { kind: SpanKind.SERVER }, context));
}

class SdkSpan implements TraceSpan {
  readonly #tracer: SdkTracer;
  readonly #span: Span;
  #context: Context | undefined;

  constructor(tracer: SdkTracer, span: Span) {
    this.#tracer = tracer;
    this.#span = span;
  }

  get traceParent(): string {
    const { traceId, spanId, traceFlags } = this.#span.spanContext();
    return `00-${traceId}-${spanId}-${traceFlags.toString(16).padStart(2, '0')}`;
  }

  begin(name: string, kind: 'internal' | 'client', attributes: Readonly<Record<string, string>>): TraceSpan {
    this.#context ??= trace.setSpan(ROOT_CONTEXT, this.#span);
    const options = { kind: kind === 'client' ? SpanKind.CLIENT : SpanKind.INTERNAL, attributes };
    return new SdkSpan(this.#tracer, this.#tracer.startSpan(name, options, this.#context));
  }

  set(name: string, value: string | number): void {
    this.#span.setAttribute(name, value);
  }

  end(fault?: string): void {
    if (fault !== undefined) {
      this.#span.setStatus({ code: SpanStatusCode.ERROR });
      this.#span.setAttribute('error.type', fault);
    }
    this.#span.end();
  }
}

/** Span that the client chose not to record. The client's context is passed on unchanged. */
class UnrecordedSpan implements TraceSpan {
  readonly traceParent: string;

  constructor(traceParent: string) {
    this.traceParent = traceParent;
  }

  begin(): TraceSpan {
    return this;
  }

  set(): void {}

  end(): void {}
}

function reportFailures(exporter: SpanExporter, log: Logger): SpanExporter {
  return {
    export(spans, onResult) {
      exporter.export(spans, (result) => {
        if (result.code !== 0) log.warn({}, 'traces could not be exported');
        onResult(result);
      });
    },
    shutdown: () => exporter.shutdown(),
    async forceFlush() {
      await exporter.forceFlush?.();
    },
  };
}
