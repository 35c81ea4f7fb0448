/** `prom-client` for what was counted elsewhere. To be imported when metrics are asked for: it takes 20 ms to load. */
import { AggregatorRegistry, Registry } from 'prom-client';
import { TURNS } from '../../util/turn-queue.ts';
import type { MetricState, Sample } from '../metric.ts';
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

/** Of one turn of the event loop. What is called for the first time is slow: all in one turn was 15 ms. */
const STEP_MS = 1;
/** In the turns of expensive work. No key has this name. */
const OWNER = '';

/** The outcomes of work on each item, in steps of about `STEP_MS`. */
async function mapInSteps<T, U>(items: readonly T[], work: (item: T) => U | Promise<U>): Promise<U[]> {
  const outcomes: U[] = [];
  let startedAt = performance.now();
  for (const item of items) {
    outcomes.push(await work(item));
    if (performance.now() - startedAt < STEP_MS) continue;
    await TURNS.pause(OWNER, STEP_MS);
    startedAt = performance.now();
  }
  return outcomes;
}

/** What this process has counted. */
export function readMetrics(state: MetricState): Promise<MetricsJson> {
  return mapInSteps(METRICS, ({ name, help, type, merge, read }) => ({
    name,
    help,
    type,
    aggregator: merge,
    values: [...read(state)],
  }));
}

/** The text that Prometheus reads: of one process or of several as one. */
export async function renderMetrics(processes: readonly MetricsJson[]): Promise<string> {
  const lists = processes as unknown as Parameters<typeof AggregatorRegistry.aggregate>[0];
  const registry = AggregatorRegistry.aggregate(lists);
  const texts = await mapInSteps(registry.getMetricsAsArray(), ({ name }) =>
    registry.getSingleMetricAsString(name),
  );
  return `${texts.join('\n\n')}\n`;
}
