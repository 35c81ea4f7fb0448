import type { Metric } from '../metric.ts';
import { CACHE_METRICS, ENGINE_METRICS } from './backend-metrics.ts';
import { CALL_METRICS } from './call-metrics.ts';
import { CHAIN_METRICS } from './chain-metrics.ts';
import { PROCESS_METRICS } from './process-metrics.ts';
import { SUBSCRIPTION_METRICS } from './subscription-metrics.ts';
import { TRANSPORT_METRICS } from './transport-metrics.ts';

/** All metrics. */
export const METRICS: readonly Metric[] = [
  ...CALL_METRICS,
  ...TRANSPORT_METRICS,
  ...SUBSCRIPTION_METRICS,
  ...CHAIN_METRICS,
  ...CACHE_METRICS,
  ...ENGINE_METRICS,
  ...PROCESS_METRICS,
];
