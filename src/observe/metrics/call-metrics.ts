import { listBuckets, type Metric } from '../metric.ts';

const CALL_LABELS: readonly string[] = ['network', 'method', 'outcome', 'source'];

export const CALL_METRICS: readonly Metric[] = [
  {
    name: 'portcullis_calls_total',
    type: 'counter',
    help: 'Calls that have ended. Each item of a batch and each notification counts as one call.',
    labels: CALL_LABELS,
    merge: 'sum',
    *read({ calls }) {
      for (const { network, method, outcome, source, seconds } of calls.table.list()) {
        yield { labels: { network, method, outcome, source }, value: seconds.count };
      }
    },
  },
  {
    name: 'portcullis_call_duration_seconds',
    type: 'histogram',
    help: 'Duration of calls. For a streamed answer, the time to its first bytes.',
    labels: CALL_LABELS,
    merge: 'sum',
    *read({ calls }) {
      for (const { network, method, outcome, source, seconds } of calls.table.list()) {
        const labels = { network, method, outcome, source };
        yield* listBuckets('portcullis_call_duration_seconds', labels, seconds);
      }
    },
  },
  {
    name: 'portcullis_batch_items',
    type: 'histogram',
    help: 'Items of the batches that were read.',
    labels: [],
    merge: 'sum',
    read: ({ calls }) => listBuckets('portcullis_batch_items', {}, calls.batchItems),
  },
  {
    name: 'portcullis_broken_streams_total',
    type: 'counter',
    help: 'Streamed answers that broke off after their first bytes.',
    labels: ['network'],
    merge: 'sum',
    *read({ calls }) {
      for (const [network, value] of calls.brokenStreams) yield { labels: { network }, value };
    },
  },
  {
    name: 'portcullis_limited_total',
    type: 'counter',
    help: 'Refusals by reason and bound. Reasons: rate (too fast), credits (none left), overload (no room), quota (as many as a key may have), size (too large), time (too late), auth (no permission). The bound is a row of the table of bounds.',
    labels: ['network', 'reason', 'bound'],
    merge: 'sum',
    *read({ calls }) {
      for (const [network, counts] of calls.limited) {
        for (const { reason, bound = '', count } of counts) {
          yield { labels: { network, reason, bound }, value: count };
        }
      }
    },
  },
];
