/** Renders metrics with `prom-client`. Loading this module takes 20 ms, so it is imported when metrics are requested. */
import { AggregatorRegistry, Registry } from 'prom-client';
import { SCHEDULER } from '../../util/slot-scheduler.ts';
import type { MetricState, Sample } from '../metric.ts';
import { METRICS } from './metric-table.ts';

/** Metrics of one process as plain JSON. */
export type MetricsJson = readonly {
  readonly name: string;
  readonly help: string;
  readonly type: string;
  readonly aggregator: string;
  readonly values: readonly Sample[];
}[];

export const METRICS_CONTENT_TYPE: string = Registry.PROMETHEUS_CONTENT_TYPE;

/** Time of rendering work per turn of the event loop, ms. The first calls of a function are slow: rendering everything in one turn took 15 ms. */
const STEP_MS = 1;
/** Owner name of the scheduler slots in which metrics are read; no key can have this name. */
const OWNER = '';

/** Maps items in steps of about `STEP_MS`. */
async function mapInSteps<T, U>(items: readonly T[], work: (item: T) => U | Promise<U>): Promise<U[]> {
  const outcomes: U[] = [];
  let startedAt = performance.now();
  for (const item of items) {
    outcomes.push(await work(item));
    if (performance.now() - startedAt < STEP_MS) continue;
    await SCHEDULER.pause(OWNER, STEP_MS);
    startedAt = performance.now();
  }
  return outcomes;
}

/** Reads the metrics of this process. */
export function readMetrics(state: MetricState): Promise<MetricsJson> {
  return mapInSteps(METRICS, ({ name, help, type, merge, read }) => ({
    name,
    help,
    type,
    aggregator: merge,
    values: [...read(state)],
  }));
}

/** Renders Prometheus text for one process, or for several processes merged. */
export async function renderMetrics(processes: readonly MetricsJson[]): Promise<string> {
  const lists = processes as unknown as Parameters<typeof AggregatorRegistry.aggregate>[0];
  const registry = AggregatorRegistry.aggregate(lists);
  const texts = await mapInSteps(registry.getMetricsAsArray(), ({ name }) =>
    registry.getSingleMetricAsString(name),
  );
  return `${texts.join('\n\n')}\n`;
}
