import { CallRecorder } from './call-recorder.ts';
import type { EventLoopDelay } from './event-loop-delay.ts';
import type { Logger } from './logger.ts';
import type { MetricState } from './metric.ts';
import type { MetricsJson } from './metrics/render-metrics.ts';
import type { LogOptions, TracingOptions } from './options.ts';
import { RequestLog } from './request-log.ts';
import { RequestObserver } from './request-observer.ts';
import type { Sources } from './sources.ts';
import type { StatusReport } from './status-report.ts';
import { SubscriptionRecorder } from './subscription-recorder.ts';
import type { Tracer } from './tracer.ts';

export type ObservabilityOptions = {
  readonly version: string;
  readonly log: Logger;
  readonly requests: LogOptions['requests'];
  readonly tracing: TracingOptions | undefined;
  /** Call outcomes that are faults of the service or of a node. */
  readonly faults: ReadonlySet<string>;
  /** Call outcomes that are refusals by a limit. */
  readonly refusals: ReadonlySet<string>;
  /** Time for sending the last spans at close, milliseconds. */
  readonly closeLimitMs: number;
};

/** Metrics, logs and traces of one process. Each component receives only the members to which it reports. */
export interface Observability {
  /** Used by the gateway and the limits. */
  readonly calls: CallRecorder;
  /** Used by the gateway. */
  readonly subscriptions: SubscriptionRecorder;
  /** Used by the HTTP and WebSocket transports. */
  readonly requests: RequestObserver;
  readStatus(sources: Sources): Promise<StatusReport>;
  readMetrics(sources: Sources): Promise<MetricsJson>;
  close(): Promise<void>;
}

/** Creates the observability of a process; tracing modules are loaded only where tracing is configured. */
export async function openObservability(options: ObservabilityOptions): Promise<Observability> {
  const { version, log, faults, refusals } = options;
  const tracer = options.tracing === undefined ? undefined : await openTraces(options.tracing, options);
  const calls = new CallRecorder(faults, refusals);
  const subscriptions = new SubscriptionRecorder();
  const requests = new RequestObserver(new RequestLog(log, options.requests, faults), tracer);
  // Modules for reading metrics and status are loaded at the first read, because loading them at the start would take 30 ms.
  let opening: Promise<EventLoopDelay> | undefined;
  const watchLoop = (): Promise<EventLoopDelay> => {
    opening ??= import('./event-loop-delay.ts').then(({ EventLoopDelay }) => new EventLoopDelay());
    return opening;
  };
  return {
    calls,
    subscriptions,
    requests,
    async readStatus(sources) {
      const { readStatus } = await import('./status-report.ts');
      return readStatus({ version, calls, subscriptions, loopDelay: await watchLoop(), sources });
    },
    async readMetrics(sources) {
      const { readMetrics } = await import('./metrics/render-metrics.ts');
      const loopDelay = await watchLoop();
      const state: MetricState = { version, calls, requests, subscriptions, loopDelay, sources };
      return readMetrics(state);
    },
    async close() {
      (await opening)?.close();
      await tracer?.close();
    },
  };
}

async function openTraces(
  tracing: TracingOptions,
  { version, log, closeLimitMs }: ObservabilityOptions,
): Promise<Tracer> {
  const { openTracer } = await import('./open-tracer.ts');
  return openTracer(tracing, { version, log, closeLimitMs });
}
