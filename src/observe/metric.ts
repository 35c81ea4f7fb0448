/** Metric types, independent of the exporter. */
import type { CallRecorder } from './call-recorder.ts';
import type { EventLoopDelay } from './event-loop-delay.ts';
import type { Histogram } from './histogram.ts';
import type { RequestObserver } from './request-observer.ts';
import type { Sources } from './sources.ts';
import type { SubscriptionRecorder } from './subscription-recorder.ts';

export type Labels = Readonly<Record<string, string | number>>;
export type Sample = { readonly labels: Labels; readonly value: number; readonly metricName?: string };

/** Sources of the metrics of a process. */
export type MetricState = {
  readonly version: string;
  readonly calls: CallRecorder;
  readonly requests: RequestObserver;
  readonly subscriptions: SubscriptionRecorder;
  readonly loopDelay: EventLoopDelay;
  readonly sources: Sources;
};

/** One metric: its documentation, how values of several processes are merged, and how its values are read. */
export type Metric = {
  readonly name: string;
  readonly type: 'counter' | 'gauge' | 'histogram';
  readonly help: string;
  readonly labels: readonly string[];
  readonly merge: 'sum' | 'max' | 'min' | 'first';
  readonly read: (state: MetricState) => Iterable<Sample>;
};

/** Yields a histogram as Prometheus samples. */
export function* listBuckets(
  name: string,
  labels: Labels,
  { bounds, counts, sum }: Histogram,
): Generator<Sample, void, undefined> {
  let below = 0;
  for (const [at, count] of counts.entries()) {
    below += count;
    const le = bounds[at] ?? '+Inf';
    yield { metricName: `${name}_bucket`, labels: { le, ...labels }, value: below };
  }
  yield { metricName: `${name}_sum`, labels, value: sum };
  yield { metricName: `${name}_count`, labels, value: below };
}
