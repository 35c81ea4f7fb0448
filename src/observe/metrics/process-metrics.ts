import type { Metric } from '../metric.ts';

export const PROCESS_METRICS: readonly Metric[] = [
  {
    name: 'portcullis_event_loop_delay_seconds',
    type: 'gauge',
    help: 'Event-loop delay in about the last minute, by percentile; 100 is the maximum.',
    labels: ['percentile'],
    merge: 'max',
    *read({ loopDelay }) {
      const { p50, p99, max } = loopDelay.read();
      yield { labels: { percentile: '50' }, value: p50 };
      yield { labels: { percentile: '99' }, value: p99 };
      yield { labels: { percentile: '100' }, value: max };
    },
  },
  {
    name: 'portcullis_shared_store_up',
    type: 'gauge',
    help: '1 while the Valkey or Redis server of keys and limits (access.valkey) answers every process, else 0. Absent where keys and limits are in files.',
    labels: [],
    merge: 'min',
    *read({ sources }) {
      if (sources.isStoreUp !== undefined) yield { labels: {}, value: Number(sources.isStoreUp()) };
    },
  },
  {
    name: 'portcullis_process_cpu_seconds_total',
    type: 'counter',
    help: 'CPU time of the process, user and system.',
    labels: [],
    merge: 'sum',
    *read() {
      const { user, system } = process.cpuUsage();
      yield { labels: {}, value: (user + system) / 1e6 };
    },
  },
  {
    name: 'portcullis_process_resident_bytes',
    type: 'gauge',
    help: 'Resident memory.',
    labels: [],
    merge: 'sum',
    read: () => [{ labels: {}, value: process.memoryUsage.rss() }],
  },
  {
    name: 'portcullis_process_heap_bytes',
    type: 'gauge',
    help: "Used heap of the process's main thread.",
    labels: [],
    merge: 'sum',
    read: () => [{ labels: {}, value: process.memoryUsage().heapUsed }],
  },
  {
    name: 'portcullis_process_external_bytes',
    type: 'gauge',
    help: "Memory outside of the heap that objects of the heap own: buffers, WebAssembly's memory and others.",
    labels: [],
    merge: 'sum',
    read: () => [{ labels: {}, value: process.memoryUsage().external }],
  },
  {
    name: 'portcullis_process_array_buffer_bytes',
    type: 'gauge',
    help: 'Memory of buffers, which is a part of the external memory.',
    labels: [],
    merge: 'sum',
    read: () => [{ labels: {}, value: process.memoryUsage().arrayBuffers }],
  },
  {
    name: 'portcullis_process_handles',
    type: 'gauge',
    help: 'Handles that keep the event loop alive: sockets, timers, servers, pending requests to the system.',
    labels: [],
    merge: 'sum',
    read: () => [{ labels: {}, value: process.getActiveResourcesInfo().length }],
  },
  {
    name: 'portcullis_process_start_time_seconds',
    type: 'gauge',
    help: 'Unix time of the start.',
    labels: [],
    merge: 'min',
    read: () => [{ labels: {}, value: performance.timeOrigin / 1_000 }],
  },
  {
    name: 'portcullis_processes',
    type: 'gauge',
    help: 'Processes that serve.',
    labels: [],
    merge: 'sum',
    read: () => [{ labels: {}, value: 1 }],
  },
  {
    name: 'portcullis_build_info',
    type: 'gauge',
    help: 'Always 1. The labels are the versions of the service and of Node.js that run.',
    labels: ['version', 'node'],
    merge: 'max',
    read: ({ version }) => [{ labels: { version, node: process.version }, value: 1 }],
  },
];
