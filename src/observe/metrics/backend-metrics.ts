import type { Metric, MetricState, Sample } from '../metric.ts';
import type { CacheFigures, ExecutionPlace } from '../sources.ts';

function* readCaches(
  { sources }: MetricState,
  read: (cache: CacheFigures) => number | undefined,
): Generator<Sample> {
  for (const cache of sources.readCaches()) {
    const value = read(cache);
    if (value !== undefined) yield { labels: { tier: cache.tier }, value };
  }
}

function* readPlaces({ sources }: MetricState, read: (place: ExecutionPlace) => number): Generator<Sample> {
  for (const place of sources.readEngine().places) {
    yield { labels: { where: place.where }, value: read(place) };
  }
}

export const CACHE_METRICS: readonly Metric[] = [
  {
    name: 'portcullis_cache_hits_total',
    type: 'counter',
    help: 'Look-ups that found an answer.',
    labels: ['tier'],
    merge: 'sum',
    read: (state) => readCaches(state, ({ hits }) => hits),
  },
  {
    name: 'portcullis_cache_misses_total',
    type: 'counter',
    help: 'Look-ups that found no answer.',
    labels: ['tier'],
    merge: 'sum',
    read: (state) => readCaches(state, ({ misses }) => misses),
  },
  {
    name: 'portcullis_cache_evictions_total',
    type: 'counter',
    help: 'Answers that were evicted for lack of room.',
    labels: ['tier'],
    merge: 'sum',
    read: (state) => readCaches(state, ({ evictions }) => evictions),
  },
  {
    name: 'portcullis_cache_faults_total',
    type: 'counter',
    help: 'Look-ups that the server of the shared cache did not answer in time, or answered with malformed data.',
    labels: ['tier'],
    merge: 'sum',
    read: (state) => readCaches(state, ({ faults }) => faults),
  },
  {
    name: 'portcullis_cache_held_bytes',
    type: 'gauge',
    help: 'Memory of the cached answers, including tables and free room.',
    labels: ['tier'],
    merge: 'sum',
    read: (state) => readCaches(state, ({ bytes }) => bytes),
  },
  {
    name: 'portcullis_cache_entries',
    type: 'gauge',
    help: 'Answers that are cached.',
    labels: ['tier'],
    merge: 'sum',
    read: (state) => readCaches(state, ({ entries }) => entries),
  },
];

export const ENGINE_METRICS: readonly Metric[] = [
  {
    name: 'portcullis_engine_executions_total',
    type: 'counter',
    help: 'Executions that ended, inline on the thread that reads requests or on a thread for heavy calls.',
    labels: ['where'],
    merge: 'sum',
    read: (state) => readPlaces(state, ({ executions }) => executions),
  },
  {
    name: 'portcullis_engine_gas_total',
    type: 'counter',
    help: 'Gas of the runs that ended. An estimate consists of several runs.',
    labels: ['where'],
    merge: 'sum',
    read: (state) => readPlaces(state, ({ gas }) => gas),
  },
  {
    name: 'portcullis_engine_execution_seconds_total',
    type: 'counter',
    help: 'Time in executions. The first slices of executions that moved to a thread are included.',
    labels: ['where'],
    merge: 'sum',
    read: (state) => readPlaces(state, ({ seconds }) => seconds),
  },
  {
    name: 'portcullis_engine_queue_depth',
    type: 'gauge',
    help: 'Heavy calls that are admitted on a network and wait for a place in the engine.',
    labels: [],
    merge: 'sum',
    read: ({ sources }) => [{ labels: {}, value: sources.readEngine().queued }],
  },
  {
    name: 'portcullis_engine_heavy_calls_running',
    type: 'gauge',
    help: 'Heavy calls that run.',
    labels: [],
    merge: 'sum',
    read: ({ sources }) => [{ labels: {}, value: sources.readEngine().running }],
  },
  {
    name: 'portcullis_engine_threads',
    type: 'gauge',
    help: 'Number of threads for heavy calls now.',
    labels: [],
    merge: 'sum',
    read: ({ sources }) => [{ labels: {}, value: sources.readEngine().threads }],
  },
];
