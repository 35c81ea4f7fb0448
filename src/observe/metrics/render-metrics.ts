/** `prom-client` for what was counted elsewhere. To be imported when metrics are asked for: it takes 20 ms to load. */
import {
  AggregatorRegistry,
  type PrometheusContentType,
  type Metric as PromMetric,
  Registry,
} from 'prom-client';
import type { Metric, MetricState, Sample } from '../metric.ts';
import { METRICS } from './metric-table.ts';

/** What one process counted, as plain JSON. */
export type MetricsJson = readonly {
  readonly name: string;
  readonly help: string;
  readonly type: string;
  readonly aggregator: string;
  readonly values: readonly Sample[];
}[];

export const METRICS_CONTENT_TYPE: string = Registry.PROMETHEUS_CONTENT_TYPE;

/** A metric that reads its values when the registry is read. The registry asks no more of one than this. */
class PulledMetric {
  readonly name: string;
  readonly help: string;
  readonly type: string;
  readonly aggregator: string;
  readonly #read: () => Iterable<Sample>;

  constructor({ name, help, type, merge, read }: Metric, state: MetricState) {
    this.name = name;
    this.help = help;
    this.type = type;
    this.aggregator = merge;
    this.#read = () => read(state);
  }

  async get(): Promise<MetricsJson[number]> {
    const { name, help, type, aggregator } = this;
    return { name, help, type, aggregator, values: [...this.#read()] };
  }
}

/** What this process has counted. */
export async function readMetrics(state: MetricState): Promise<MetricsJson> {
  const registry = new Registry<PrometheusContentType>();
  for (const metric of METRICS) {
    registry.registerMetric(new PulledMetric(metric, state) as unknown as PromMetric);
  }
  return (await registry.getMetricsAsJSON()) as unknown as MetricsJson;
}

/** The text that Prometheus reads: of one process or of several as one. */
export async function renderMetrics(processes: readonly MetricsJson[]): Promise<string> {
  const lists = processes as unknown as Parameters<typeof AggregatorRegistry.aggregate>[0];
  return AggregatorRegistry.aggregate(lists).metrics();
}
